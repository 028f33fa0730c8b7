import { signIn, type CheckToken } from 'hybrid-mcp/sign-in';

export const doorOf = (tokens: CheckToken) =>
  signIn({
    tokens,
    authorizationServers: ['https://login.example.com'],
    resources: ['https://mcp.example.com'],
    // Tokens for the URL that clients had before are good until they have run out.
    formerly: [{ resource: 'https://old.example.com/mcp', until: '2027-03-01' }],
  });

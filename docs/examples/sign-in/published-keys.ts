import { jwtTokens, signIn } from 'hybrid-mcp/sign-in';

const issuer = 'https://login.example.com';

export const door = signIn({
  tokens: jwtTokens({ issuer, keys: `${issuer}/.well-known/jwks.json` }),
  authorizationServers: [issuer],
  // What the tokens are for: every route is below it.
  resources: ['https://mcp.example.com'],
  scopes: ['orders:read'],
});

import { accessTokens, signIn } from 'hybrid-mcp/sign-in';

/** Access itself asks people to sign in; programs bring a service token. */
export const door = signIn({
  tokens: accessTokens({ teamDomain: 'team.cloudflareaccess.com', audience: 'the audience tag of the application' }),
});

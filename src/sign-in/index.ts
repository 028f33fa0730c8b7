/**
 * The package `hybrid-mcp/sign-in`: what stands in front of both routes. It checks tokens and signs nobody in: that is an
 * authorization server's, in the same Worker or elsewhere.
 */
export { keepGrants } from './grants.ts';
export { guard, type Guarded, type GuardOptions } from './guard.ts';
export { accessTokens, jwtTokens, type AccessTokensOptions, type JwtTokensOptions } from './jwt.ts';
export type {
  CheckToken,
  FormerResource,
  HeaderTokens,
  SignInOptions,
  SignInProps,
  TokenOwner,
  TokenQuestion,
} from './options.ts';
export { providerTokens, type ProviderToken, type ValidateToken } from './provider.ts';
export { signIn, type SignIn } from './sign-in.ts';

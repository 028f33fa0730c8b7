/**
 * Lets the client's schemas make no code of text. A page whose policy (CSP, Trusted Types) forbids that would be told of each
 * attempt, even of one that is caught. The first attempt is made while the client is loaded, so this comes before it.
 */
import { config } from 'zod';

/** Exported to be used, so that no bundler takes the module for one without an effect. */
export const { jitless } = config({ jitless: true });

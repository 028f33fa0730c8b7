/** Refuses what a registration cannot carry where it is touched, so that the stack names the line. */
import { RegistrationError } from '../shared/catalogue/error.ts';

/** Asked of any value by promises, by JSON and by tools that print it. */
const HARMLESS = new Set(['then', 'toJSON', 'constructor', 'asymmetricMatch', 'nodeType', '$$typeof']);

/** @param text What to say of a member that is not there. */
export const refusing = <T extends object>(target: T, text: (member: string) => string): T =>
  new Proxy(target, {
    get: (owner, member, receiver) => {
      if (typeof member === 'symbol' || Reflect.has(owner, member))
        return Reflect.get(owner, member, receiver) as unknown;
      if (HARMLESS.has(member)) return undefined;
      throw new RegistrationError(text(member));
    },
    set: (owner, member, value, receiver) => {
      if (typeof member === 'symbol' || Reflect.has(owner, member)) return Reflect.set(owner, member, value, receiver);
      throw new RegistrationError(text(member));
    },
  });

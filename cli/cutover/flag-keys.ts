/**
 * The keys of a deployment's flags. `createHybrid` takes them as an option, so the Worker says them itself; `--flag-key`
 * says them where it is not asked.
 */
import { FLAG_KEYS, ROUTE_KEYS, type RouteKey } from '../../src/cutover/stage.ts';
import type { Status } from './answers.ts';
import { couldNot } from './stop.ts';

export type FlagKeys = Readonly<Record<RouteKey, string>>;

export function toldKeys({ routes }: Pick<Status, 'routes'>): FlagKeys {
  return { ...FLAG_KEYS, ...Object.fromEntries(routes.map(({ route, flag }) => [route, flag])) };
}

/**
 * @param named `route=key` each.
 * @param status What the Worker says, if it was asked.
 */
export function readFlagKeys(named: readonly string[] = [], status?: Pick<Status, 'routes'>): FlagKeys {
  const said = named.map(readFlagKey);
  const keys: FlagKeys = status === undefined ? FLAG_KEYS : toldKeys(status);
  const other = status === undefined ? undefined : said.find(([route, key]) => keys[route] !== key);
  if (other !== undefined) {
    const [route, key] = other;
    throw couldNot(
      `The Worker reads the flag ${keys[route]} for the route ${route}, and not ${key}`,
      'Leave --flag-key out, or name another Worker with --url.',
    );
  }
  return { ...keys, ...Object.fromEntries(said) };
}

function readFlagKey(text: string): readonly [RouteKey, string] {
  const [name = '', ...rest] = text.split('=');
  const key = rest.join('=').trim();
  const route = ROUTE_KEYS.find((one) => one === name.trim());
  if (route === undefined || key === '')
    throw couldNot(`--flag-key "${text}" is not understood`, `Use for example --flag-key ${ROUTE_KEYS[0]}=my-flag.`);
  return [route, key];
}

/** What a program that is compared gets to see of the environment: what every program needs, and what is named. Pure. */

/** The list of both SDKs' stdio clients. A token for one target is in the environment, too, and is not for the other. */
const USUAL: ReadonlySet<string> = new Set([
  ...['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER'],
  ...['APPDATA', 'COMSPEC', 'HOMEDRIVE', 'HOMEPATH', 'LOCALAPPDATA', 'PATHEXT', 'PROCESSOR_ARCHITECTURE'],
  ...['PROGRAMDATA', 'PROGRAMFILES', 'SYSTEMDRIVE', 'SYSTEMROOT', 'TEMP', 'USERNAME', 'USERPROFILE', 'WINDIR'],
]);

/** @param caseless As on Windows, where `Path` is `PATH`. */
export function environmentFor<All extends Readonly<Record<string, string | undefined>>>(
  all: All,
  named: readonly string[],
  own: Readonly<Record<string, string>>,
  caseless = false,
): All {
  const as = (name: string): string => (caseless ? name.toUpperCase() : name);
  const wanted = new Set([...USUAL, ...named.map(as)]);
  // Two spellings of one name would leave it to the platform which of them counts.
  const replaced = new Set(Object.keys(own).map(as));
  const kept = { ...all };
  for (const name of Object.keys(kept))
    if (!wanted.has(as(name)) || replaced.has(as(name))) Reflect.deleteProperty(kept, name);
  return Object.assign(kept, own);
}

/** The configuration of one workerd process: dates, flags, variables and Durable Objects as the shipped Worker has them. */
import path from 'node:path';
import * as v from 'valibot';
import { unstable_readConfig as readConfig } from 'wrangler';
import { PROJECT_ROOT } from '../../scripts/lib/wrangler.ts';

const Shipped = v.object({
  compatibility_date: v.string(),
  compatibility_flags: v.array(v.string()),
  vars: v.record(v.string(), v.string()),
  durable_objects: v.object({ bindings: v.array(v.object({ name: v.string(), class_name: v.string() })) }),
});

/** `agents` imports the platform's mail module, which workerd alone does not have. Nobody mails here. */
const NO_EMAIL = 'export default { EmailMessage: class EmailMessage {} };';

export function configText(
  source: string,
  scratch: string,
  port: number,
  vars: Readonly<Record<string, string>>,
): string {
  const shipped = v.parse(
    Shipped,
    readConfig({ config: path.join(PROJECT_ROOT, 'wrangler.toml') }, { hideWarnings: true }),
  );
  // What the bundle does not export is not bound either: the plain Workers have one class or none.
  const exported = source.slice(source.lastIndexOf('export {'));
  const objects = shipped.durable_objects.bindings.filter(({ class_name: name }) =>
    new RegExp(`\\b${name}\\b`).test(exported),
  );
  const text = (value: string): string => JSON.stringify(value);
  const bindings = [
    ...Object.entries({ ...shipped.vars, ...vars }).map(
      ([name, value]) => `(name = ${text(name)}, text = ${text(value)})`,
    ),
    ...objects.map(({ name, class_name }) => `(name = ${text(name)}, durableObjectNamespace = ${text(class_name)})`),
  ];
  const namespaces = objects.map(
    ({ class_name: name }) => `(className = ${text(name)}, uniqueKey = ${text(name)}, enableSql = true)`,
  );
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "objects", disk = (path = ${text(scratch)}, writable = true)),
  ],
  extensions = [(modules = [(name = "cloudflare-internal:email", internal = true, esModule = ${text(NO_EMAIL)})])],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = ${text(shipped.compatibility_date)},
  compatibilityFlags = [${shipped.compatibility_flags.map(text).join(', ')}],
  bindings = [${bindings.join(', ')}],
  ${namespaces.length === 0 ? '' : `durableObjectNamespaces = [${namespaces.join(', ')}],\n  durableObjectStorage = (localDisk = "objects"),`}
);
`;
}

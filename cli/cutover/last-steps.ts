/** The last steps of the migration, with the names and the tag of this project's configuration. */
import { readFile } from 'node:fs/promises';
import { readConfiguration } from '../../scripts/lib/migrations.ts';
import type { Status } from './answers.ts';
import { toldKeys } from './flag-keys.ts';
import { COMMANDS } from './project.ts';
import { configPath, readConfig } from './target.ts';

/** The default names: of a catalogue's agent, and of a class of one's own. */
const BINDINGS = ['LEGACY_AGENT', 'MCP_OBJECT'] as const;

/** @param status What the Worker calls its bindings; one of an earlier version does not say it. */
export async function lastSteps(config: string, status: Status): Promise<readonly string[]> {
  const { durable_objects, flagship } = await readConfig(config);
  const keys = toldKeys(status);
  const names = status.bindings === undefined ? BINDINGS : [status.bindings.legacy];
  const bindings = durable_objects?.bindings ?? [];
  const bound = names.map((one) => bindings.find(({ name }) => name === one)).find((one) => one !== undefined);
  const { name: binding, class_name: className } = bound ?? { name: names[0], class_name: 'LegacyAgent' };
  const read = readConfiguration(await readFile(configPath(config), 'utf8'));
  const tags = read.ok ? (read.environments[0]?.migrations.map(({ tag }) => tag) ?? []) : [];
  const isDeclared = read.ok && Object.keys(read.environments[0]?.declared ?? {}).length > 0;
  const app = flagship.find((one) => one.binding === (status.bindings?.flags ?? 'FLAGS'))?.app_id;
  return [
    'Be sure that one version has all the traffic: npx wrangler deployments status\n   During a gradual deployment old objects still talk to new code.',
    'Take the legacy lane out of the Worker: every line of its main module that says "legacy".',
    `Delete the binding ${binding} from ${config}, at the top and in every [env.*]: a class that is bound anywhere cannot be deleted.`,
    isDeclared
      ? `Say in ${config} that the class is deleted, in place of what exports says of it now:\n\n${declarationText(config, className)}\n`
      : `Append to ${config}, below every other migration, and change none of them:\n\n${migrationText(config, nextTag(tags), className)}\n`,
    `Check it: ${COMMANDS.check}`,
    'Deploy it by itself: npx wrangler deploy\n   Not with `wrangler versions upload`: a migration takes effect at once and for everybody. It deletes every object of the\n   class with its data, and neither a rollback nor a deployment of the old code brings them back.',
    ...(app === undefined
      ? []
      : [`Delete what nobody reads any more: npx wrangler flagship flags delete ${app} ${keys.legacy} ${keys.sse}`]),
  ];
}

const migrationText = (config: string, tag: string, className: string): string =>
  config.endsWith('.toml')
    ? `   [[migrations]]\n   tag = "${tag}"\n   deleted_classes = ["${className}"]`
    : `   { "tag": "${tag}", "deleted_classes": ["${className}"] }`;

const declarationText = (config: string, className: string): string =>
  config.endsWith('.toml')
    ? `   [exports.${className}]\n   type = "durable-object"\n   state = "deleted"`
    : `   "${className}": { "type": "durable-object", "state": "deleted" }`;

/** The next number where the tags are numbered; a date is right for any others. */
export function nextTag(tags: readonly string[]): string {
  const last = /^(\D*)(\d+)$/.exec(tags.at(-1) ?? 'v0');
  const next = last === null ? undefined : `${last[1] ?? ''}${Number(last[2]) + 1}`;
  return next === undefined || tags.includes(next) ? `delete-legacy-${new Date().toISOString().slice(0, 10)}` : next;
}

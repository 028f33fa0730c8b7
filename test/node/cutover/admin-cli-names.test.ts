/** A deployment's own names: the commands take keys, bindings and variables from the Worker, or from who types them. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'vitest';
import { cliWorld, type CliWorld } from './cli-support.ts';

const CONFIGURATION = `
[[durable_objects.bindings]]
name = "OLD_HALF"
class_name = "OurSessions"
[[flagship]]
binding = "OTHER_FLAGS"
app_id = "another-app"
[[flagship]]
binding = "OUR_FLAGS"
app_id = "our-app"
[[migrations]]
tag = "v1"
new_sqlite_classes = ["OurSessions"]
`;

let world: CliWorld;
let folder = '';
beforeEach(async () => {
  world = await cliWorld({
    flagKeys: { legacy: 'team-old', sse: 'team-oldest' },
    prefixes: { legacy: 'TEAM_OLD', sse: 'TEAM_OLDEST', mcp: 'TEAM_NEW' },
    names: { legacy: 'OLD_HALF', flags: 'OUR_FLAGS' },
  });
  folder = await mkdtemp(path.join(tmpdir(), 'hybrid-mcp-names-'));
  await writeFile(path.join(folder, 'wrangler.toml'), CONFIGURATION);
});
afterEach(async () => {
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

const why = ['--why', 'a test'];
const at = (...args: string[]) => world.at(...args, '--config', path.join(folder, 'wrangler.toml'));

describe('names that a deployment chose', () => {
  it('are those of the flags that are made, changed, shown and written to the log', async ({ expect }) => {
    await at('flags', 'init');
    expect([...world.flags.keys()]).toEqual(['team-old', 'team-oldest', 'mcp-route']);
    const { exitCode, out } = await at('ramp', 'legacy', 'stateless', '10', ...why, '--early', 'a test');
    expect({ exitCode, out }).toEqual({ exitCode: 0, out: expect.stringMatching(/^team-old in the local flag store/) });
    expect(world.log[0]?.detail).toMatchObject({ route: 'legacy', flag: 'team-old' });
    expect(world.flags.get('team-old')?.rules).toHaveLength(1);
    expect((await at('status')).out).toMatch(/legacy +\/legacy\/mcp +legacy +flag +10 % stateless/);
  });

  it('are those of the app that is bound, and of the last steps', async ({ expect }) => {
    await at('flags', 'init');
    await at('set', 'legacy', 'gone', ...why, '--early', 'a test');
    await at('set', 'sse', 'gone', ...why, '--early', 'a test');
    const { exitCode, out } = await at('retire-check');
    expect({ exitCode, out }).toEqual({
      exitCode: 0,
      out: expect.stringContaining('Delete the binding OLD_HALF from'),
    });
    expect(out).toContain('deleted_classes = ["OurSessions"]');
    expect(out).toContain('npx wrangler flagship flags delete our-app team-old team-oldest');
    expect(world.ran.map(([, , verb, app]) => [verb, app])).toContainEqual(['create', 'our-app']);
  });

  it('are named where a rule keeps somebody elsewhere', async ({ expect }) => {
    await at('flags', 'init');
    await at('set', 'legacy', 'legacy', '--client', 'desktop', ...why);
    expect((await at('retire-check')).out).toContain('rules keep some clients elsewhere: team-old');
  });

  it('are those of the variables, where these are the flags', async ({ expect }) => {
    Object.assign(world.env, { FLAGS: undefined });
    const { exitCode, error } = await at('ramp', 'legacy', 'stateless', '10', ...why);
    expect({ exitCode, error }).toEqual({
      exitCode: 2,
      error: expect.stringContaining('Change TEAM_OLD_STAGE, TEAM_OLDEST_STAGE, TEAM_NEW_STAGE (and _NEXT'),
    });
  });

  it('are said where the Worker is not asked', async ({ expect }) => {
    const keys = ['--flag-key', 'legacy=team-old', '--flag-key', 'sse=team-oldest'];
    const emergency = ['--no-audit', '--persist-to', folder, '--app', 'our-app'];
    await at('flags', 'init', ...keys, ...emergency);
    expect([...world.flags.keys()]).toEqual(['team-old', 'team-oldest', 'mcp-route']);
    const { exitCode } = await at('set', 'legacy', 'shadow', ...why, ...keys, ...emergency);
    expect([exitCode, world.flags.get('team-old')?.default_variation]).toEqual([0, 'shadow']);
    // Without them it looks for the shipped ones, finds none, and writes nothing.
    const { error } = await at('set', 'legacy', 'stateless', ...why, ...emergency);
    expect(error).toContain('There is no flag legacy-route in');
    expect(world.flags.size).toBe(3);
  });

  it.for([
    ['legacy=team-older', 'The Worker reads the flag team-old for the route legacy, and not team-older'],
    ['older=team-old', '--flag-key "older=team-old" is not understood'],
    ['legacy', '--flag-key "legacy" is not understood'],
  ])('are refused where they are wrong: %s', async ([named = '', said = ''], { expect }) => {
    await at('flags', 'init');
    const { exitCode, error } = await at('ramp', 'legacy', 'stateless', '10', ...why, '--flag-key', named);
    expect({ exitCode, error }).toEqual({ exitCode: 2, error: expect.stringContaining(said) });
    expect(world.flags.get('team-old')?.rules).toEqual([]);
  });
});

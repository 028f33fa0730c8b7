/** What one run of a registration has registered so far, and the handles by which it changes that. */
import { CatalogueError, type DefinitionKind } from '../shared/catalogue/error.ts';
import type { JsonObject } from '../shared/json.ts';
import type { CallContext } from '../shared/define/context.ts';
import { extraFor } from './extra.ts';
import { runIn, type Recording } from './recording.ts';
import type { ZodThree } from './standard.ts';

/** A handler of any kind of entry: its last argument is the second argument of the SDKs. */
export type Handler = (...args: readonly unknown[]) => unknown;

export interface Table {
  readonly recording: Recording;
  readonly zodThree: ZodThree | undefined;
  /** True for a definition that no earlier run in this isolate has registered: it is converted at its own line. */
  readonly isNew: (kind: DefinitionKind, name: string) => boolean;
  readonly tools: Map<string, Slot<unknown>>;
  readonly prompts: Map<string, Slot<unknown>>;
  readonly resources: Map<string, Slot<unknown>>;
  readonly templates: Map<string, Slot<unknown>>;
}

/** One entry, made anew from what its handle says at the end of the registration. */
export interface Slot<T> {
  enabled: boolean;
  build: () => T;
}

/** The handle that a registration gets back: its members can be read, and changed by `update` while it registers. */
export interface Handle {
  enabled: boolean;
  enable(): void;
  disable(): void;
  update(updates: Readonly<Record<string, unknown>>): void;
  remove(): void;
}

export interface Registering<T> {
  readonly kind: DefinitionKind;
  /** What an entry is found by: a name, or the URI of a resource. */
  readonly key: string;
  /** The member of `update` that moves an entry, and takes it away if it is null. */
  readonly keyName: 'name' | 'uri';
  readonly fields: Record<string, unknown>;
  /** Under which member of the handle `update` puts a member of its argument. */
  readonly renamed: Readonly<Record<string, string>>;
  /** @throws CatalogueError for what cannot be carried. */
  readonly build: (key: string, fields: Readonly<Record<string, unknown>>) => T;
}

export function register<T>(
  table: Table,
  entries: Map<string, Slot<unknown>>,
  { kind, key, keyName, fields, renamed, build }: Registering<T>,
): Handle {
  const { recording } = table;
  const still = (what: string): void => {
    if (!recording.done) return;
    throw new CatalogueError(
      kind,
      key,
      `was ${what} after the registration had ended`,
      'A catalogue changes by deployment, or by caller: register by context.props, and leave hosted what registers in a handler.',
    );
  };
  still('registered');
  const given: unknown = key;
  if (typeof given !== 'string' || given === '') {
    throw new CatalogueError(kind, '(unnamed)', `has no ${keyName}`, 'Give it one.');
  }
  if (entries.has(key)) {
    throw new CatalogueError(kind, key, 'is already registered', 'Give each its own name.');
  }
  let at = key;
  const handle = fields as unknown as Handle & Record<string, unknown>;
  const slot: Slot<unknown> = { enabled: true, build: () => build(at, handle) };
  Object.assign(handle, {
    enabled: true,
    enable: () => handle.update({ enabled: true }),
    disable: () => handle.update({ enabled: false }),
    remove: () => handle.update({ [keyName]: null }),
    update: (updates: Readonly<Record<string, unknown>>) => {
      still('changed');
      const moved = updates[keyName];
      if (moved !== undefined && moved !== at) {
        entries.delete(at);
        if (typeof moved === 'string' && moved !== '') {
          at = moved;
          entries.set(at, slot);
        }
      }
      for (const [name, value] of Object.entries(updates)) {
        if (value !== undefined && name !== keyName) handle[renamed[name] ?? name] = value;
      }
      slot.enabled = handle.enabled;
      if (entries.has(at)) slot.build();
    },
  });
  entries.set(at, slot);
  // Once here, so that what cannot be carried is refused at the line that registers it.
  slot.build();
  return handle;
}

/** Runs a handler as its call: whoever asks for the caller below is told who calls. */
export function called<T>(
  { recording }: Table,
  method: string,
  ctx: CallContext,
  work: (extra: ReturnType<typeof extraFor>) => T,
): T {
  const extra = extraFor(method, ctx);
  return runIn({ kind: 'call', recording, caller: ctx.caller, ctx, extra }, () => work(extra));
}

/** The members that are there, for a listing as it was written. */
export const present = (members: Readonly<Record<string, unknown>>): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as JsonObject;

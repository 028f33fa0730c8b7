/**
 * The Durable Object that owns state outside legacy sessions: one object a handle. It runs the reducer itself, so an
 * update is read, computed and written without giving up control.
 */
import { DurableObject } from 'cloudflare:workers';
import type { Catalogue } from '../shared/catalogue/catalogue.ts';
import type { World } from '../shared/define/context.ts';
import type { Json } from '../shared/json.ts';
import type { StateOutcome } from '../shared/pipeline/ports.ts';
import { reduceState } from '../shared/state/reduce.ts';
import { idleMs, nextAlarm, type IdleVars } from './idle.ts';
import { newSecret, type SecretApi } from './secret.ts';

export interface StateObjectCall {
  readonly tool: string;
  /** The call's arguments as JSON text: the object parses them itself. */
  readonly args: string;
  /** This object's own name, given back with the reply. */
  readonly handle: string;
  /** True where the client named the handle itself, so that a name with nothing behind it is an error. */
  readonly named: boolean;
}

/** What the other side of the binding offers. Arguments and answers are plain JSON values. */
export interface StateObjectApi {
  apply(call: StateObjectCall): Promise<StateOutcome>;
  remove(): Promise<void>;
}

/** Says that this object has been given out, so that its handle is known even while no state differs from the initial one. */
const ISSUED_KEY = 'issued';
const SECRET_KEY = 'secret';
const stateKey = (name: string): string => `state:${name}`;

export interface StateObjectOptions {
  readonly catalogue: Catalogue;
  readonly world: World;
}

/** The class to export from the Worker, for the catalogue that it serves. */
export function stateObjectFor({ catalogue, world }: StateObjectOptions) {
  return class StateObject extends DurableObject<IdleVars> implements StateObjectApi, SecretApi {
    async apply(call: StateObjectCall): Promise<StateOutcome> {
      // Before the state is read: from there to the write nothing may wait.
      await this.keep();
      const tool = catalogue.tools.get(call.tool);
      if (tool?.kind !== 'stateful') return { ok: false, fault: { fault: 'unknown_tool', tool: call.tool } };
      const { kv } = this.ctx.storage;
      const issued = kv.get<boolean>(ISSUED_KEY) === true;
      if (call.named && !issued) return { ok: false, fault: { fault: 'unknown_handle', tool: tool.name } };

      const stored = kv.get<string>(stateKey(tool.state.name));
      const outcome = reduceState(
        tool,
        stored === undefined ? undefined : (JSON.parse(stored) as Json),
        JSON.parse(call.args),
        world,
      );
      if (!outcome.ok) return outcome;
      this.ctx.storage.transactionSync(() => {
        if (!issued) kv.put(ISSUED_KEY, true);
        if (outcome.next !== undefined) kv.put(stateKey(tool.state.name), JSON.stringify(outcome.next));
      });
      return { ok: true, reply: outcome.reply, handle: call.handle };
    }

    /** Puts the removal off for another idle time. An object without state has no alarm to put off, and gets none. */
    private async keep(): Promise<void> {
      const { storage } = this.ctx;
      const at = nextAlarm(Date.now(), await storage.getAlarm(), idleMs(this.env));
      if (at !== undefined) await storage.setAlarm(at);
    }

    /** Nobody has called for the whole idle time. */
    override async alarm(): Promise<void> {
      await this.remove();
    }

    /** Only ever called on the object that is named for it. */
    async secret(): Promise<string> {
      const { kv } = this.ctx.storage;
      const known = kv.get<string>(SECRET_KEY);
      if (known !== undefined) return known;
      const fresh = newSecret();
      kv.put(SECRET_KEY, fresh);
      return fresh;
    }

    /** Forgets everything at once; the handle is unknown from then on. */
    async remove(): Promise<void> {
      await this.ctx.storage.deleteAlarm();
      await this.ctx.storage.deleteAll();
    }
  };
}

/**
 * The Durable Object that owns state outside legacy sessions: one object a handle. It runs the tool itself, so an
 * update is read, computed and written without giving up control. For a session's handle it may not own the state yet:
 * then it asks the session's agent.
 */
import { DurableObject } from 'cloudflare:workers';
import type { CallerReader } from '../shared/caller.ts';
import type { Catalogue } from '../shared/catalogue/catalogue.ts';
import type { World } from '../shared/define/context.ts';
import { relayed } from '../shared/pipeline/live.ts';
import type { LiveCall, StateOutcome } from '../shared/pipeline/ports.ts';
import type { Reporter } from '../shared/pipeline/report.ts';
import type { ServicesMaker } from '../shared/pipeline/services.ts';
import { StateHolder } from '../shared/state/holder.ts';
import { NEVER_OWNER, ONLY_OWNER, type Asker, type Holding, type Release } from '../shared/state/ownership.ts';
import { idleMs, nextAlarm, type IdleVars } from './times.ts';
import { newSecret, type SecretApi } from './secret.ts';
import { agentOf, MAX_ROUNDS, type HolderEnv, type ObjectCall, type StateObjectApi } from './transfer.ts';

/** What an object stores, as one value: it is there from the first call of a stateful tool on. */
interface StateRecord {
  readonly holding: Holding;
  /** The agent of the session that this handle belongs to, where there is one. */
  readonly agent?: string;
  /** Whose state it is; nobody else's calls reach it. */
  readonly subject?: string;
  /** True once the session of this handle has ended: from then on only the handle names the state. */
  readonly ended?: true;
}

const RECORD_KEY = 'record';
const SECRET_KEY = 'secret';

export interface StateObjectOptions {
  readonly catalogue: Catalogue;
  readonly world: World;
  readonly report: Reporter;
  /** Makes the services of a caller. */
  readonly services: ServicesMaker;
  readonly callerOf: CallerReader;
  /** The environment under the names that this package uses. */
  readonly envOf: (env: object) => HolderEnv & IdleVars;
}

/** The class of the Durable Object, said in full so that a Worker can extend it and its declarations can be written. */
export type StateObjectClass = new (
  ctx: DurableObjectState,
  env: Cloudflare.Env,
) => DurableObject & StateObjectApi & SecretApi;

/** The class to export from the Worker, for the catalogue that it serves. */
export function stateObjectFor({
  catalogue,
  world,
  report,
  services,
  callerOf,
  envOf,
}: StateObjectOptions): StateObjectClass {
  return class StateObject extends DurableObject implements StateObjectApi, SecretApi {
    private readonly bound = envOf(this.env);
    private readonly holder = new StateHolder({
      catalogue,
      world,
      report,
      services,
      callerOf,
      env: this.bound,
      load: () => this.record?.holding ?? NEVER_OWNER,
      save: (holding) => (this.record = { ...this.record, holding }),
    });

    private get record(): StateRecord | undefined {
      const text = this.ctx.storage.kv.get<string>(RECORD_KEY);
      return text === undefined ? undefined : (JSON.parse(text) as StateRecord);
    }

    private set record(record: StateRecord) {
      this.ctx.storage.kv.put(RECORD_KEY, JSON.stringify(record));
    }

    async apply(call: ObjectCall, live?: LiveCall): Promise<StateOutcome> {
      const known = this.record;
      const unknown: StateOutcome = { ok: false, fault: { fault: 'unknown_handle', tool: call.tool } };
      // Before anything is stored, the alarm included: an invented handle must leave nothing behind.
      if (known === undefined && call.named && call.agent === undefined) return unknown;
      if (known?.subject !== undefined && known.subject !== call.subject) return unknown;
      if (known?.ended === true && !call.named)
        return { ok: false, fault: { fault: 'session_ended', tool: call.tool } };
      await this.keep();
      this.record ??= {
        holding: call.agent === undefined ? ONLY_OWNER : NEVER_OWNER,
        ...(call.agent !== undefined && { agent: call.agent }),
        ...(call.subject !== undefined && { subject: call.subject }),
      };
      for (let round = 0; round < MAX_ROUNDS; round += 1) {
        const outcome = this.holder.apply(call, live) ?? (await this.askAgent(call, live));
        if (outcome !== undefined) return outcome;
      }
      return { ok: false, fault: { fault: 'state_unavailable', tool: call.tool }, cause: 'the holders did not settle' };
    }

    /** Undefined where the state is this object's now, or may be: look again. */
    private async askAgent(call: ObjectCall, live: LiveCall | undefined): Promise<StateOutcome | undefined> {
      const name = this.record?.agent;
      const agent = name === undefined ? undefined : agentOf(this.bound, name);
      const { tool, args, handle, caller } = call;
      const held = { tool, args, handle, ...(caller !== undefined && { caller }) };
      const answer =
        (await (live === undefined
          ? agent?.applyOrRelease(held, this.holder.asker)
          : agent?.applyOrRelease(held, this.holder.asker, relayed(live)))) ?? ({ kind: 'gone' } as const);
      switch (answer.kind) {
        case 'applied':
          return answer.outcome;
        case 'released':
          this.holder.adopt(answer.release);
          return undefined;
        case 'gone':
          return this.withoutAgent(call);
      }
    }

    /** The session is gone without having handed its state on; a call that did not name the handle starts anew. */
    private async withoutAgent(call: ObjectCall): Promise<StateOutcome | undefined> {
      if (this.holder.owns) return undefined;
      if (call.named) {
        await this.remove();
        return { ok: false, fault: { fault: 'unknown_handle', tool: call.tool } };
      }
      const { subject } = this.record ?? {};
      this.record = { holding: ONLY_OWNER, ...(subject !== undefined && { subject }) };
      return undefined;
    }

    async bind(agent: string, subject: string | undefined): Promise<void> {
      await this.keep();
      this.record ??= { holding: NEVER_OWNER, agent, ...(subject !== undefined && { subject }) };
    }

    /** A session that takes its state back has not ended, even if it has begun to. */
    async release(asker: Asker): Promise<Release> {
      await this.keep();
      const { ended, ...known } = this.record ?? { holding: NEVER_OWNER };
      if (ended !== undefined) this.record = known;
      return this.holder.release(asker);
    }

    async inherit(states: Release | undefined): Promise<void> {
      // Without a record nobody was ever given the handle.
      if (this.record === undefined) return;
      await this.keep();
      if (states !== undefined) this.holder.adopt(states);
      if (this.holder.owns) this.record = { ...this.record, ended: true };
      else await this.remove();
    }

    async endFor(subject: string | undefined): Promise<void> {
      const known = this.record;
      if (known === undefined || (known.subject !== undefined && known.subject !== subject)) return;
      this.record = { ...known, ended: true };
    }

    /** Puts the removal off for another idle time. */
    private async keep(): Promise<void> {
      const { storage } = this.ctx;
      const at = nextAlarm(Date.now(), await storage.getAlarm(), idleMs(this.bound));
      if (at !== undefined) await storage.setAlarm(at);
    }

    /** Nobody has called for the whole idle time. The name of a session that lives on stays known. */
    override async alarm(): Promise<void> {
      if (this.holder.isBusy) return this.keep();
      const { agent, holding } = this.record ?? {};
      const waits = agent !== undefined && holding?.owner !== true;
      if (waits && (await agentOf(this.bound, agent)?.isSession()) === true) await this.keep();
      else await this.remove();
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
    private async remove(): Promise<void> {
      await this.ctx.storage.deleteAlarm();
      await this.ctx.storage.deleteAll();
    }
  };
}

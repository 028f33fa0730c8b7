/** The low-level server below a recorder, `server.server`: what a handler asks and tells its client through it. */
import { RegistrationError } from '../shared/catalogue/error.ts';
import type { LogLevel, ToolContext } from '../shared/define/context.ts';
import type { Askable } from '../shared/define/questions.ts';
import { log } from './extra.ts';
import { callNow, type HandlerCall } from './recording.ts';
import { refusing } from './refuse.ts';

type Params = Readonly<Record<string, unknown>>;

function inCall(what: string): HandlerCall {
  const call = callNow();
  if (call !== undefined) return call;
  throw new RegistrationError(
    `${what} was used outside of a handler, so there is no client. Use it in the handler of a tool or a prompt.`,
  );
}

/** What a handler may use; anything else is refused where it is touched. */
const members = {
  elicitInput: async (params: Params) =>
    inCall('elicitInput()').extra.sendRequest({ method: 'elicitation/create', params }),
  createMessage: async (params: Params) =>
    inCall('createMessage()').extra.sendRequest({ method: 'sampling/createMessage', params }),
  listRoots: async () => inCall('listRoots()').extra.sendRequest({ method: 'roots/list' }),
  notification: async (said: { readonly method: string; readonly params?: Params }) =>
    inCall('notification()').extra.sendNotification(said),
  sendLoggingMessage: async ({ level, data }: { readonly level: LogLevel; readonly data: unknown }) =>
    log(inCall('sendLoggingMessage()').ctx, level, data),
  getClientVersion: () => inCall('getClientVersion()').ctx.client,
  getClientCapabilities: () => {
    const { ctx } = inCall('getClientCapabilities()');
    if (!('can' in ctx)) return {};
    const can = (what: Askable): boolean => (ctx as ToolContext).can(what);
    return {
      ...(can('elicitation') && { elicitation: { form: {} } }),
      ...(can('sampling') && { sampling: {} }),
      ...(can('roots') && { roots: {} }),
    };
  },
  // Set by many projects. What they would be told of goes to the Worker's own reporter.
  onerror: undefined as unknown,
  onclose: undefined as unknown,
};

export type LowLevelFace = typeof members;

export const lowLevelFace = (): LowLevelFace =>
  refusing(
    { ...members },
    (member) =>
      `server.server.${member} is not carried by a registration. Known members: ${Object.keys(members).join(', ')}. Register tools, prompts and resources by the high-level methods, or leave them hosted.`,
  );

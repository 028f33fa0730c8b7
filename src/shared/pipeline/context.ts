/** What the code of a definition is given, over the ports that a lane has filled. */
import type { CallContext, ToolContext } from '../define/context.ts';
import type { Questions } from '../define/questions.ts';
import { type Json, throughWire } from '../json.ts';
import type { Ending } from './clock.ts';
import type { RunPorts } from './ports.ts';
import { report } from './report.ts';

export function callContext(ports: RunPorts, ending: Ending): CallContext {
  const { world, caller } = ports;
  return {
    now: () => world.now(),
    random: () => world.random(),
    id: () => world.id(),
    fetch: (input, init) => world.fetch(input, { signal: ending.signal, ...init }),
    get signal() {
      return ending.signal;
    },
    client: ports.client,
    caller,
    subject: caller.subject,
    get services() {
      return ports.services();
    },
    get request() {
      return ports.request?.();
    },
  };
}

/** @param name The tool's or the prompt's, for reports. */
export function toolContext(name: string, ports: RunPorts, questions: Questions, ending: Ending): ToolContext {
  // What JSON cannot carry fails the notification and not the tool.
  const quietly = (send: () => Promise<void> | undefined): void => {
    const failed = (cause: unknown): void => report(ports.report, { fault: 'notification_failed', tool: name, cause });
    try {
      send()?.catch(failed);
    } catch (cause) {
      failed(cause);
    }
  };
  const told: Pick<ToolContext, 'progress' | 'log'> = {
    progress: (update) => {
      if (!ending.isOver) quietly(() => ports.progress?.(throughWire(update)));
    },
    log: (level, message, data) => {
      const line: Json = data === undefined ? message : { message, data };
      if (!ending.isOver) quietly(() => ports.log(level, throughWire(line)));
    },
  };
  // Not spread: that would make the services, the signal and the request of every call.
  return Object.assign(callContext(ports, ending), questions, told);
}

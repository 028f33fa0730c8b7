/**
 * Talks to the inspector of a workerd process: what the isolate holds of memory once its garbage is collected, and what it
 * does with its time.
 */
import type { CpuProfile } from './profile.ts';

export interface Inspector extends AsyncDisposable {
  /** MB that live objects take, after a full collection. */
  heapMb(): Promise<number>;
  /** What the isolate did while the work went on. */
  profile(work: () => Promise<void>): Promise<CpuProfile>;
}

const SAMPLE_US = 200;

interface Reply {
  readonly id?: number;
  readonly result?: { readonly usedSize?: number; readonly profile?: CpuProfile };
}

export async function inspect(port: number): Promise<Inspector> {
  const targets = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as { webSocketDebuggerUrl: string }[];
  const socket = new WebSocket(targets[0]?.webSocketDebuggerUrl ?? '');
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', reject);
  });
  const waiting = new Map<number, (reply: Reply) => void>();
  socket.addEventListener('message', ({ data }) => {
    const reply = JSON.parse(String(data)) as Reply;
    if (reply.id !== undefined) waiting.get(reply.id)?.(reply);
  });
  let ids = 0;
  const command = (method: string, params: object = {}): Promise<Reply> =>
    new Promise((resolve) => {
      const id = (ids += 1);
      waiting.set(id, resolve);
      socket.send(JSON.stringify({ id, method, params }));
    });
  return {
    async heapMb() {
      // workerd does not answer `collectGarbage`, but a snapshot collects before it is taken.
      await command('HeapProfiler.takeHeapSnapshot');
      const { result } = await command('Runtime.getHeapUsage');
      return Math.round(((result?.usedSize ?? 0) / 2 ** 20) * 10) / 10;
    },
    async profile(work) {
      await command('Profiler.enable');
      await command('Profiler.setSamplingInterval', { interval: SAMPLE_US });
      await command('Profiler.start');
      await work();
      const { result } = await command('Profiler.stop');
      if (result?.profile === undefined) throw new Error('The inspector gave no profile');
      return result.profile;
    },
    async [Symbol.asyncDispose]() {
      socket.close();
    },
  };
}

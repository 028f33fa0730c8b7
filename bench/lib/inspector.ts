/** Talks to the inspector of a workerd process: what the isolate holds of memory once its garbage is collected. */

export interface Inspector extends AsyncDisposable {
  /** MB that live objects take, after a full collection. */
  heapMb(): Promise<number>;
}

interface Reply {
  readonly id?: number;
  readonly result?: { readonly usedSize?: number };
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
  const command = (method: string): Promise<Reply> =>
    new Promise((resolve) => {
      const id = (ids += 1);
      waiting.set(id, resolve);
      socket.send(JSON.stringify({ id, method }));
    });
  return {
    async heapMb() {
      // workerd does not answer `collectGarbage`, but a snapshot collects before it is taken.
      await command('HeapProfiler.takeHeapSnapshot');
      const { result } = await command('Runtime.getHeapUsage');
      return Math.round(((result?.usedSize ?? 0) / 2 ** 20) * 10) / 10;
    },
    async [Symbol.asyncDispose]() {
      socket.close();
    },
  };
}

/** What the system knows of a process: CPU time and memory. Linux only; zero where there is no /proc. */
import { readdirSync, readFileSync } from 'node:fs';

/** CPU time that a process has used so far, all threads, in milliseconds. */
export function cpuMsOf(pid: number): number {
  return orZero(() =>
    readdirSync(`/proc/${pid}/task`).reduce(
      (sum, thread) => sum + Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6,
      0,
    ),
  );
}

/** Memory that a process holds, in MB. */
export function rssMbOf(pid: number): number {
  return orZero(() => {
    const [, kilobytes = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Math.round(Number(kilobytes) / 1024);
  });
}

function orZero(read: () => number): number {
  try {
    return read();
  } catch {
    return 0;
  }
}

/**
 * Live progress on standard error: a bar that is drawn over itself in a terminal, a line now and then elsewhere. Own code,
 * since the usual library for it has had no release since 2023, and the bar is one line.
 */
import type { Writable } from 'node:stream';
import type { Progress } from '../run/running.ts';

/** A terminal is redrawn this often at most; a log gets a line this often at most. */
const REDRAW_MS = 80;
const LINE_MS = 5_000;
const WIDTH = 28;

export interface ProgressView {
  show(progress: Progress): void;
  /** Takes the bar away, so that the report starts on a line of its own. */
  end(): void;
}

export function progressView(
  out: Writable & { isTTY?: boolean },
  now: () => number = () => performance.now(),
): ProgressView {
  const terminal = out.isTTY === true;
  const startedAt = now();
  let last = Number.NEGATIVE_INFINITY;
  return {
    show: (progress) => {
      if (now() - last < (terminal ? REDRAW_MS : LINE_MS) && progress.phase !== 'connecting') return;
      last = now();
      const text = lineOf(progress, now() - startedAt, terminal);
      out.write(terminal ? `\r\u001B[2K${text}` : `${text}\n`);
    },
    end: () => {
      if (terminal) out.write('\r\u001B[2K');
    },
  };
}

export function lineOf({ phase, group, done, total, mismatches }: Progress, elapsedMs: number, bar: boolean): string {
  if (phase === 'connecting') return 'connecting';
  const found = mismatches === 0 ? '' : `, ${mismatches} differ`;
  const where = group.length > 32 ? `${group.slice(0, 31)}…` : group;
  if (phase === 'noise') return `asking the control twice  ${where}`;
  if (total === undefined || total === 0) return `${done} calls${found}  ${where}`;
  const share = Math.min(1, done / total);
  const left = share === 0 ? '' : `, ${Math.round((elapsedMs / share - elapsedMs) / 1000)} s left`;
  const filled = Math.round(share * WIDTH);
  const drawn = bar ? `${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ` : '';
  return `${drawn}${Math.floor(share * 100)} %  ${done}/${total} calls${found}${left}  ${where}`;
}

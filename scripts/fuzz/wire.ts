/** Sends bytes over a socket of its own and reads what comes until the other side is done. No HTTP client corrects anything. */
import { connect } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** What came, or why nothing whole came. */
export type Outcome =
  | { readonly kind: 'answer'; readonly answer: RawAnswer }
  | { readonly kind: 'closed'; readonly received: string }
  | { readonly kind: 'hang'; readonly received: string };

export function sendRaw(port: number, request: Buffer, limitMs: number): Promise<Outcome> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const received = (): Buffer => Buffer.concat(chunks);
    const finish = (outcome: Outcome): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(outcome);
    };
    const timer = setTimeout(() => finish({ kind: 'hang', received: received().toString('utf8') }), limitMs);
    const done = (): void => {
      const answer = parseAnswer(received());
      finish(
        answer === undefined ? { kind: 'closed', received: received().toString('utf8') } : { kind: 'answer', answer },
      );
    };
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      // The last chunk of a chunked body is the end, whether or not the connection is closed after it.
      if (chunk.subarray(-5).toString('latin1') === '0\r\n\r\n') done();
    });
    socket.once('end', done);
    socket.once('close', done);
    socket.once('error', done);
    socket.write(request);
  });
}

function parseAnswer(received: Buffer): RawAnswer | undefined {
  const bytes = withoutContinue(received);
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1]);
  if (!Number.isInteger(status)) return undefined;
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const rest = bytes.subarray(end + 4);
  const body = headers.get('transfer-encoding') === 'chunked' ? unchunked(rest) : rest;
  return { status, headers, body: unpacked(body, headers.get('content-encoding')).toString('utf8') };
}

/** `100 Continue` comes before the answer to a request that expects it. */
function withoutContinue(bytes: Buffer): Buffer {
  const interim = /^HTTP\/1\.1 100[^\n]*\r\n\r\n/.exec(bytes.subarray(0, 200).toString('latin1'));
  return interim === null ? bytes : bytes.subarray(interim[0].length);
}

/** The local server packs answers for whoever accepts it. */
function unpacked(body: Buffer, encoding: string | undefined): Buffer {
  if (body.length === 0) return body;
  if (encoding === 'gzip') return gunzipSync(body);
  return encoding === 'br' ? brotliDecompressSync(body) : body;
}

function unchunked(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    const size = lineEnd < 0 ? 0 : Number.parseInt(bytes.subarray(at, lineEnd).toString('latin1'), 16);
    if (lineEnd < 0 || !(size > 0)) return Buffer.concat(parts);
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}

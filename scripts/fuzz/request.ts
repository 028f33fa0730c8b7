/** A hostile request as data: what goes over the wire, byte for byte, and how to send the same by hand. Pure. */

export interface HostileRequest {
  readonly method: string;
  readonly target: string;
  /** In order; a name may come twice. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array | undefined;
  /** How the body's length is told: as it is, in chunks, or not at all. */
  readonly framing: 'length' | 'chunked' | 'none';
}

/** Header values are sent as bytes, so that a character beyond ASCII is what a careless client makes of it. */
export function bytesOf({ method, target, headers, body, framing }: HostileRequest, host: string): Buffer {
  const lines = [`${method} ${target} HTTP/1.1`];
  if (!headers.some(([name]) => name.toLowerCase() === 'host')) lines.push(`Host: ${host}`);
  lines.push('Connection: close', ...headers.map(([name, value]) => `${name}: ${value}`));
  const parts = [Buffer.alloc(0)];
  if (body !== undefined && framing === 'chunked') {
    lines.push('Transfer-Encoding: chunked');
    for (let at = 0; at < body.length; at += 1000) {
      const chunk = body.subarray(at, at + 1000);
      parts.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), Buffer.from(chunk), Buffer.from('\r\n'));
    }
    parts.push(Buffer.from('0\r\n\r\n'));
  } else if (body !== undefined && framing === 'length') {
    lines.push(`Content-Length: ${body.length}`);
    parts.push(Buffer.from(body));
  }
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'utf8'), ...parts]);
}

/** The same request as a command line. */
export function curlOf({ method, target, headers, body, framing }: HostileRequest, url: string): string {
  const words = ['curl', '-sS', '-i', '--max-time', '10', '-X', method];
  // What curl would add by itself is taken away where the request does not have it.
  for (const name of ['Accept', 'User-Agent', 'Content-Type']) {
    if (!headers.some(([given]) => given.toLowerCase() === name.toLowerCase())) words.push('-H', quoted(`${name}:`));
  }
  for (const [name, value] of headers) words.push('-H', quoted(value === '' ? `${name};` : `${name}: ${value}`));
  if (framing === 'chunked') words.push('-H', quoted('Transfer-Encoding: chunked'));
  words.push('--path-as-is', quoted(`${url}${target}`));
  if (body === undefined || framing === 'none') return words.join(' ');
  const text = Buffer.from(body).toString('utf8');
  // Bytes that a shell cannot hold in quotes go through a decoder.
  const plain = Buffer.from(text, 'utf8').equals(Buffer.from(body)) && !text.includes('\0');
  if (plain) return [...words, '--data-binary', quoted(text)].join(' ');
  return `printf %s ${Buffer.from(body).toString('base64')} | base64 -d | ${words.join(' ')} --data-binary @-`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** What was meant by a web address that has no scheme, for messages that refuse it. Pure. */

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/i;

/**
 * `localhost:8787` is read as a URL of the scheme `localhost`, so it is not enough to say that it is none.
 * @returns Nothing for what looks like no host.
 */
export function withScheme(text: string): string | undefined {
  const [, address, host = '', port, path] =
    /^(?:\/\/)?((\[[\da-f:.]+\]|[a-z\d-]+(?:\.[a-z\d-]+)*)(:\d{1,5})?([/?#]\S*)?)$/i.exec(text) ?? [];
  const isLoopback = LOOPBACK.test(host);
  const isHost = isLoopback || host.startsWith('[') || port !== undefined || host.includes('.');
  // `server.js` is a file, and `a.example` is hardly the whole address of an MCP server.
  const isFile = port === undefined && path === undefined && /\.(?:[cm]?[jt]s|py|json|ya?ml|exe|sh)$/i.test(host);
  if (address === undefined || !isHost || isFile) return undefined;
  const url = `${isLoopback ? 'http' : 'https'}://${address}`;
  return URL.canParse(url) ? url : undefined;
}

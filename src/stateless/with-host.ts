/** Requests through a binding have no Host header, and the package refuses them; the host of the URL was checked before. */
export function withHost(request: Request): Request {
  if (request.headers.has('host')) return request;
  const headers = new Headers(request.headers);
  headers.set('host', new URL(request.url).host);
  // Without the body: it has been read, and the package is given what was in it.
  return new Request(request.url, { method: request.method, headers, signal: request.signal });
}

/** The client of the served module: a file of its own, which a page loads only if its browser can use it. */
export { jitless } from './jitless.ts';
export { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

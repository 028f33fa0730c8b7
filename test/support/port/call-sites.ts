/** Registrations as people have them, each handed over as it is: what compiles here is taken, what must not says so. */
import { McpServer, type RegisteredTool } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { McpServer as McpServerV2 } from '@modelcontextprotocol/server';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { z } from 'zod';
import { z as z3 } from 'zod/v3';
import { fromJsonSchema, registrations, type Recorder } from '../../../src/port/index.ts';
import { zod3 } from '../../../src/port/zod3.ts';

interface SiteEnv {
  readonly API: string;
}
type SiteProps = { readonly login: string; readonly claims: { readonly sub: string } };

const text = (value: unknown) => ({ content: [{ type: 'text' as const, text: String(value) }] });

// A helper that takes the server of SDK v1, its environment and the caller's properties.
function registerTools(server: McpServer, env: SiteEnv, props: SiteProps | undefined): RegisteredTool {
  server.tool('ping', async () => text('pong'));
  server.tool('described', 'Says so.', async (extra) => text(extra.requestId));
  server.tool('shaped', { a: z.number(), b: z.string().optional() }, async ({ a, b }, { signal }) =>
    text(`${a} ${b ?? '-'} ${signal.aborted}`),
  );
  server.tool('hinted', { readOnlyHint: true }, async () => text('hinted'));
  server.tool('both', 'Both.', { a: z.number() }, { title: 'Both', readOnlyHint: true }, async ({ a }) => text(a));
  server.tool('bare', { a: z.number() }, { destructiveHint: false }, async ({ a }) => text(a));
  server.tool('hinted-text', 'Hinted.', { idempotentHint: true }, async () => text('hinted-text'));
  return server.registerTool('env', { description: env.API }, async () =>
    text(`${env.API} ${props?.claims.sub ?? ''}`),
  );
}
export const ofHelper = registrations(
  (server: McpServer, { env, props }: { env: SiteEnv; props: SiteProps | undefined }) => {
    registerTools(server, env, props);
  },
  { env: { API: 'https://api.example.com' } },
);

// The same helper on the class's own server.
registerTools(new McpServer({ name: 'own', version: '1.0.0' }), { API: '' }, undefined);

// SDK v2, with Standard Schemas of three libraries.
export const ofVersionTwo = registrations((server: McpServerV2) => {
  server.registerTool('zod', { inputSchema: z.object({ a: z.number() }) }, async ({ a }, ctx) =>
    text(`${a} ${ctx.mcpReq.id}`),
  );
  server.registerTool(
    'valibot',
    { inputSchema: toStandardJsonSchema(v.object({ a: v.number() })), outputSchema: z.object({ twice: z.number() }) },
    async ({ a }) => ({ ...text(a * 2), structuredContent: { twice: a * 2 } }),
  );
  server.registerTool(
    'json',
    {
      inputSchema: fromJsonSchema<{ a: number }>({
        type: 'object',
        properties: { a: { type: 'number' } },
        required: ['a'],
      }),
    },
    async ({ a }) => text(a),
  );
});

// No SDK at all: the arguments are known from the schemas.
export const ofNeither = registrations(
  (server, { props }) => {
    server.registerTool('three', { inputSchema: { a: z3.number() } }, ({ a }) => text(a satisfies number));
    server.registerTool('whole', { inputSchema: z3.object({ a: z3.string().optional() }) }, ({ a }) => text(a ?? '-'));
    server.registerTool('four', { inputSchema: { a: z.enum(['x', 'y']).default('x') } }, ({ a }) =>
      text(a satisfies 'x' | 'y'),
    );
    server.tool('two', 'Two.', { a: z.number(), b: z.boolean().optional() }, ({ a, b }, extra) =>
      text(`${a} ${b satisfies boolean | undefined} ${extra.requestId} ${props === undefined}`),
    );
    // @ts-expect-error The argument is a number.
    server.tool('wrong', { a: z.number() }, ({ a }) => text(a satisfies string));
  },
  { zod3 },
);

const noRecorder = (server: Recorder): unknown => server.tool('one', () => text(1));
const ofRecorder = registrations(noRecorder);

/** What only has to compile. */
export const compiled = [
  ofRecorder,
  // @ts-expect-error The registration reads the environment, so it has to be given.
  registrations((_server: McpServer, _context: { env: SiteEnv }) => undefined),
  // @ts-expect-error This environment lacks what the registration reads.
  registrations((_server: McpServer, _context: { env: SiteEnv }) => undefined, { env: { OTHER: 1 } }),
  // @ts-expect-error There is no database in the context: it is in the environment.
  registrations((_server: McpServer, _context: { db: string }) => undefined),
  // @ts-expect-error A registration is a function.
  () => registrations('registerTools'),
  // @ts-expect-error Nothing is registered on a text.
  registrations((_server: string) => undefined),
];

/** The same N tools for every Worker of the benchmark, as plain values: names, zod schemas and a pure function. */
import { env } from 'cloudflare:workers';
import { z } from 'zod';

const input = () =>
  z.object({
    place: z.string().min(1).max(80).describe('Name of a city or of a region, in English.'),
    days: z.number().int().min(1).max(14).describe('How many days, today included.'),
    unit: z.enum(['celsius', 'fahrenheit']).optional().describe('Unit of the temperatures; celsius where absent.'),
    tags: z.array(z.string().max(20)).max(5).optional().describe('Only days that have all of these tags.'),
  });

const output = () =>
  z.object({
    summary: z.string().describe('One sentence for the user.'),
    values: z.array(z.number()).describe('One value a day.'),
  });

type Input = z.infer<ReturnType<typeof input>>;
type Output = z.infer<ReturnType<typeof output>>;

function run({ place, days, unit = 'celsius' }: Input): Output {
  const values = Array.from({ length: days }, (_, day) => ((place.length * 7 + day * 3) % 30) - 5);
  return { summary: `${days} days for ${place}, in ${unit}.`, values };
}

function toolNamed(name: string) {
  return {
    name,
    title: `Forecast ${name}`,
    description: `Forecasts what ${name} measures, for one place and up to 14 days. Use it for the future only.`,
    input: input(),
    output: output(),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    run,
  } as const;
}

/** As many as the variable says. Each has schemas of its own, as tools of real servers have. */
export const benchTools = Array.from({ length: Number((env as { TOOLS?: string }).TOOLS ?? '1') }, (_, index) =>
  toolNamed(`forecast_${index}`),
);

export const SERVER_INFO = { name: 'bench', title: 'Benchmark', version: '1.0.0' } as const;
export const INSTRUCTIONS = 'Forecasts for the benchmark.';

/** What a registered tool answers on the plain packages; the same as ours on the wire. */
export function registeredReply(reply: Output) {
  return { content: [{ type: 'text' as const, text: JSON.stringify(reply) }], structuredContent: { ...reply } };
}

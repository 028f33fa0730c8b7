/** The last step of an answer of the stateless lanes. */
import { setLaneTiming } from '../router/answer.ts';
import type { Answered } from './contract.ts';

/**
 * @param corsHeaders What the agents package sets for the same options.
 * @param extra Further headers of this answer.
 */
export function dressed(
  corsHeaders: Readonly<Record<string, string>>,
  response: Response,
  { lane, reason }: Pick<Answered, 'lane' | 'reason'>,
  extra: Readonly<Record<string, string>> = {},
): Answered {
  const copy = new Response(response.body, response);
  for (const [name, value] of Object.entries({ ...corsHeaders, ...extra })) copy.headers.set(name, value);
  setLaneTiming(copy.headers, { lane, reason });
  return { response: copy, lane, reason };
}

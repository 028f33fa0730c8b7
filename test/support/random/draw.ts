/** Draws random schemas and random tools from a seed. The same seed gives the same tools in every isolate. */
import * as fc from 'fast-check';
import type { Json } from 'hybrid-mcp/define';
import type { Member, ObjectSpec, Spec } from './spec.ts';

/** How a drawn tool behaves; each is drawn as often as the others. */
export const BEHAVIOURS = ['echo', 'structured', 'loose', 'refuse', 'throw', 'broken', 'counter'] as const;
export type Behaviour = (typeof BEHAVIOURS)[number];

export interface DrawnTool {
  readonly name: string;
  readonly behaviour: Behaviour;
  readonly input: ObjectSpec;
  readonly output: ObjectSpec;
  /** What `loose` replies with as structured content, `broken` as its whole reply, and `throw` throws: one a call, in turn. */
  readonly replies: readonly Json[];
}

const MEMBER_NAMES = ['a', 'b', 'n', 'text', 'with space', 'über', 'x-y', '0', 'type', 'items', '$ref', 'length'];

const leaf: fc.Arbitrary<Spec> = fc.oneof(
  fc.record({ kind: fc.constant('string'), min: fc.nat(2), max: fc.integer({ min: 2, max: 12 }) }),
  fc.constant({ kind: 'number' } as const),
  fc.record({ kind: fc.constant('int'), min: fc.integer({ min: -5, max: 0 }), max: fc.integer({ min: 0, max: 9 }) }),
  fc.constant({ kind: 'boolean' } as const),
  fc.record({
    kind: fc.constant('enum'),
    of: fc.uniqueArray(fc.constantFrom('red', 'blue', '', 'grün', '🙂'), { minLength: 1, maxLength: 4 }),
  }),
  fc.record({ kind: fc.constant('literal'), value: fc.constantFrom('one', 1, true) }),
);

const { object } = fc.letrec<{ spec: Spec; object: ObjectSpec }>((tie) => ({
  spec: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 5, arbitrary: leaf },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('nullable'), item: tie('spec') }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('union'),
        of: fc.array(tie('spec'), { minLength: 2, maxLength: 3 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('array'), item: tie('spec'), max: fc.nat(4) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('tuple'),
        items: fc.array(tie('spec'), { minLength: 1, maxLength: 3 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('record'), value: tie('spec') }) },
    { weight: 2, arbitrary: tie('object') },
  ),
  object: fc.record({
    kind: fc.constant('object'),
    members: fc.uniqueArray(
      fc.record<Member>({
        name: fc.constantFrom(...MEMBER_NAMES),
        spec: tie('spec'),
        need: fc.constantFrom('required', 'required', 'optional', 'default'),
      }),
      { selector: ({ name }) => name, maxLength: 4 },
    ),
  }),
}));

/** Replies that are nearly right, so that they reach the last check and not only the first. */
const nearlyAReply = fc.record(
  {
    content: fc.oneof(
      fc.array(
        fc.oneof(
          fc.record({ type: fc.constant('text'), text: fc.string() }),
          fc.record({ type: fc.constantFrom('text', 'image', 'resource', 'other'), data: fc.jsonValue() }),
        ),
        { maxLength: 2 },
      ),
      fc.jsonValue(),
    ),
    structuredContent: fc.jsonValue(),
    isError: fc.oneof(fc.boolean(), fc.jsonValue()),
    _meta: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue()),
    task: fc.jsonValue(),
    resultType: fc.constantFrom('complete', 'input_required', 'partial'),
    requestState: fc.string(),
  },
  { requiredKeys: [] },
);

export function drawTools(seed: number, each: number): readonly DrawnTool[] {
  const drawn = fc.sample(
    fc.record({
      input: object,
      output: object,
      replies: fc.array(fc.oneof(fc.jsonValue(), nearlyAReply), { minLength: 1, maxLength: 4 }),
    }),
    { seed, numRuns: BEHAVIOURS.length * each },
  );
  return drawn.map((tool, index) => {
    const behaviour = BEHAVIOURS[index % BEHAVIOURS.length] ?? 'echo';
    return {
      ...tool,
      replies: tool.replies as Json[],
      behaviour,
      name: `${behaviour}_${Math.floor(index / BEHAVIOURS.length)}`,
    };
  });
}

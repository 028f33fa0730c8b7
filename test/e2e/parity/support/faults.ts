/**
 * Faults that a migration really makes, one at a time, put into a server that is else a copy of ours. Each says in which
 * tool it sits and how a report has to name it, so that "found" means found there and nowhere else.
 */
import type { ServerResponse } from 'node:http';
import type { RunReport } from '../../../../cli/parity/run/report.ts';
import { isPlainObject } from '../../../../src/shared/json.ts';

export type Message = Record<string, unknown>;
type Json = Record<string, unknown>;

export const CRASH = Symbol('crash');
export const HANG = Symbol('hang');
/** A body, `{ twice: body }`, or nothing at all. */
export type Reply = Json | typeof CRASH | typeof HANG;

export interface Fault {
  readonly name: string;
  /** Where a report has to find it: a tool, or a place in the surface. */
  readonly where: string;
  readonly exitCode: 1 | 2;
  /** Changes the result or error of one request. */
  readonly change?: (request: Message, answer: Json, session: string) => Reply | Promise<Reply>;
  /** Answers a request itself and gives back true; only over HTTP. */
  readonly http?: (request: Message, response: ServerResponse) => boolean;
  /** Whose state a request gets; only over HTTP. */
  readonly sessionOf?: (session: string, all: readonly string[]) => string;
  /** The era in which it shows; 2025 without it. */
  readonly era?: '2026';
  /** It shows where tools that write are called. */
  readonly writes?: true;
  /** Other places in which it may show as well. */
  readonly also?: readonly string[];
  /** What the report has to say of it. */
  readonly named: (report: RunReport) => boolean;
}

const calls = (tool: string, change: (result: Json, args: Json) => Json) => (request: Message, answer: Json) => {
  const params = request['params'];
  if (request['method'] !== 'tools/call' || !isPlainObject(params) || params['name'] !== tool) return answer;
  return change(answer, isPlainObject(params['arguments']) ? params['arguments'] : {});
};
const resultOf = (answer: Json): Json | undefined => {
  const result = answer['result'];
  return isPlainObject(result) && result['isError'] !== true ? result : undefined;
};
/** Changes structured content and the text that repeats it. */
function structured(answer: Json, change: (content: Json) => Json): Json {
  const result = resultOf(answer);
  const content = result?.['structuredContent'];
  if (!isPlainObject(content)) return answer;
  const changed = change(content);
  return {
    result: { ...result, structuredContent: changed, content: [{ type: 'text', text: JSON.stringify(changed) }] },
  };
}
const tools = (change: (tools: Json[]) => Json[]) => (request: Message, answer: Json) => {
  const result = resultOf(answer);
  const listed = result?.['tools'];
  if (request['method'] !== 'tools/list' || !Array.isArray(listed)) return answer;
  return { result: { ...result, tools: change(listed as Json[]) } };
};
const differs =
  (tool: string, path: RegExp) =>
  ({ failures }: RunReport): boolean =>
    failures.some(({ group, differences }) => group === tool && differences.some((each) => path.test(each.path)));
const changed =
  (where: string, path: string, kind: string) =>
  ({ surface }: RunReport): boolean =>
    surface.some((each) => each.where === where && each.path === path && each.class === kind && each.fails);

const argsOf = (request: Message, tool: string): Json | undefined => {
  const params = request['params'];
  if (request['method'] !== 'tools/call' || !isPlainObject(params) || params['name'] !== tool) return undefined;
  return isPlainObject(params['arguments']) ? params['arguments'] : {};
};
const isCall = (request: Message, tool: string): boolean => argsOf(request, tool) !== undefined;
/** The call that the candidate leaves without an answer, made small. */
const unanswered =
  (tool: string, fault: string, smallest: (args: Json) => boolean = () => true) =>
  ({ failures }: RunReport): boolean =>
    failures.some(
      ({ group, differences, minimal, call }) =>
        group === tool &&
        differences.some(({ path, candidate }) => path === 'answer' && String(candidate).includes(fault)) &&
        smallest(((minimal?.call ?? call).params?.['arguments'] ?? {}) as Json),
    );

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/** Sessions in which the counter was reset since it was last counted up. */
const RESET = new Set<string>();

export const FAULTS: readonly Fault[] = [
  {
    name: 'changed text',
    where: 'qrCode',
    exitCode: 1,
    change: calls('qrCode', (answer) => {
      const result = resultOf(answer);
      if (result === undefined) return answer;
      return JSON.parse(JSON.stringify({ result }).replace('modules, error', 'modules; error')) as Json;
    }),
    named: differs('qrCode', /^result\.content\.1\.text$/),
  },
  {
    name: 'error class',
    where: 'add',
    exitCode: 1,
    change: calls('add', (answer) => {
      const result = answer['result'];
      if (!isPlainObject(result) || result['isError'] !== true) return answer;
      return { error: { code: -32602, message: (result['content'] as { text: string }[])[0]?.text } };
    }),
    named: differs('add', /^kind$/),
  },
  {
    name: 'dropped field',
    where: 'lookup',
    exitCode: 1,
    change: calls('lookup', (answer) => structured(answer, ({ timezone: _timezone, ...rest }) => rest)),
    named: differs('lookup', /^result\.structuredContent\.timezone$/),
  },
  {
    name: 'off-by-one limit',
    where: 'search',
    exitCode: 1,
    change: calls('search', (answer, args) =>
      args['limit'] === 100
        ? { result: { content: [{ type: 'text', text: 'limit must be below 100' }], isError: true } }
        : answer,
    ),
    named: differs('search', /^result\.(isError|content\.0\.text)/),
  },
  {
    name: 'reordered list',
    where: 'search',
    exitCode: 1,
    change: calls('search', (answer) =>
      structured(answer, (content) => ({ ...content, hits: (content['hits'] as Json[]).toReversed() })),
    ),
    named: differs('search', /^result\.structuredContent\.hits\.0\./),
  },
  {
    // One of the eight people that there are, whom no chance names.
    name: 'wrong at one rare input',
    where: 'lookup',
    exitCode: 1,
    change: calls('lookup', (answer, args) =>
      args['id'] === 'p-006' ? structured(answer, (content) => ({ ...content, team: 'Nobody' })) : answer,
    ),
    named: differs('lookup', /^result\.structuredContent\.team$/),
  },
  {
    // An error or a refusal is right: only who succeeds sees it.
    name: 'wrong where it succeeds',
    where: 'readDocument',
    exitCode: 1,
    change: calls('readDocument', (answer) =>
      resultOf(answer) === undefined ? answer : { result: { content: [{ type: 'text', text: 'WRONG' }] } },
    ),
    named: differs('readDocument', /^result\.content\.0\./),
  },
  {
    name: 'swapped description',
    where: 'tool add',
    also: ['ping'],
    exitCode: 1,
    change: tools(([first = {}, second = {}, ...rest]) => [
      { ...first, description: second['description'] },
      { ...second, description: first['description'] },
      ...rest,
    ]),
    named: changed('tool add', 'description', 'non-breaking'),
  },
  {
    name: 'slow answer',
    where: 'lookup',
    exitCode: 1,
    change: async (request, answer) => {
      const params = request['params'];
      if (isPlainObject(params) && params['name'] === 'lookup') await pause(700);
      return answer;
    },
    named: differs('lookup', /^time$/),
  },
  {
    name: 'hang',
    where: 'readDocument',
    exitCode: 1,
    change: (request, answer) => (isCall(request, 'readDocument') ? HANG : answer),
    named: unanswered('readDocument', 'no_answer'),
  },
  {
    name: 'hang at one input',
    where: 'search',
    exitCode: 1,
    change: (request, answer) => (argsOf(request, 'search')?.['limit'] === 100 ? HANG : answer),
    named: unanswered('search', 'no_answer', ({ limit }) => limit === 100),
  },
  {
    name: 'crash at one input',
    where: 'add',
    exitCode: 1,
    change: (request, answer) => (Number(argsOf(request, 'add')?.['a']) < 0 ? CRASH : answer),
    named: unanswered('add', 'died', ({ a, b }) => Number(a) < 0 && b === 0),
  },
  {
    name: 'doubled answer',
    where: 'lookup',
    exitCode: 1,
    change: (request, answer) => (isCall(request, 'lookup') ? { twice: answer } : answer),
    named: ({ listing }) =>
      listing.some(
        ({ target, tool, broken, fails }) =>
          target === 'candidate' && tool === 'lookup' && broken === 'answered_twice' && fails,
      ),
  },
  {
    name: 'refusals with a JSON-RPC body',
    where: 'add',
    exitCode: 2,
    http: (request, response) => {
      if (!isCall(request, 'add')) return false;
      const error = { code: -32000, message: 'Too many requests' };
      response
        .writeHead(429, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id: request['id'], error }));
      return true;
    },
    named: ({ harnessErrors, groups, notCompared }) =>
      harnessErrors.some(
        ({ where, reason, target }) => target === 'candidate' && where === 'add' && reason === 'refused',
      ) &&
      groups.every(({ group, candidates }) => group !== 'add' || candidates[0]?.counts.match === 0) &&
      notCompared.some(({ group }) => group === 'add'),
  },
  {
    name: 'a result without resultType',
    where: 'add',
    exitCode: 1,
    era: '2026',
    change: calls('add', (answer) => {
      const result = answer['result'];
      if (!isPlainObject(result)) return answer;
      const { resultType: _left, ...rest } = result;
      return { result: rest };
    }),
    named: differs('add', /^envelope\.resultType$/),
  },
  {
    name: 'a listing without ttlMs',
    where: 'tools/list',
    exitCode: 1,
    era: '2026',
    change: (request, answer) => {
      const result = resultOf(answer);
      if (request['method'] !== 'tools/list' || result === undefined) return answer;
      const { ttlMs: _left, ...rest } = result;
      return { result: rest };
    },
    named: changed('tools/list', 'envelope.ttlMs', 'breaking'),
  },
  {
    name: 'crash of a tool that writes',
    where: 'incrementCounter',
    also: ['sequence of incrementCounter'],
    exitCode: 1,
    writes: true,
    change: (request, answer) => (Number(argsOf(request, 'incrementCounter')?.['by']) > 50 ? CRASH : answer),
    named: (report) =>
      unanswered('incrementCounter', 'died', ({ by }) => Number(by) > 50)(report) &&
      report.groups.some(({ group, calls }) => group === 'resetCounter' && calls > 0),
  },
  {
    name: 'wrong only in a sequence',
    where: 'sequence of incrementCounter',
    also: ['sequence of getCounter'],
    exitCode: 1,
    writes: true,
    change: (request, answer, session) => {
      if (isCall(request, 'resetCounter')) RESET.add(session);
      if (!isCall(request, 'incrementCounter') || !RESET.delete(session)) return answer;
      return structured(answer, (content) => ({ ...content, value: Number(content['value']) + 1 }));
    },
    named: ({ failures }) =>
      failures.some(
        ({ group, sequence = [] }) =>
          group === 'sequence of incrementCounter' &&
          sequence.map(({ call }) => call.params?.['name']).join() === 'resetCounter,incrementCounter',
      ),
  },
  {
    name: 'two sessions mixed up',
    where: 'sequence of incrementCounter',
    also: ['sequence of getCounter', 'sequence of resetCounter'],
    exitCode: 1,
    writes: true,
    sessionOf: (_session, all) => all.at(-1) ?? '',
    named: ({ failures }) =>
      failures.some(
        ({ group, sequence = [] }) =>
          group.startsWith('sequence of ') && new Set(sequence.map(({ session }) => session)).size === 2,
      ),
  },
  {
    name: 'wrong schema',
    where: 'tool add',
    exitCode: 1,
    change: tools((listed) =>
      listed.map((tool) =>
        tool['name'] === 'add'
          ? { ...tool, outputSchema: { type: 'object', properties: { sum: { type: 'string' } }, required: ['sum'] } }
          : tool,
      ),
    ),
    named: (report) =>
      report.surface.some(
        ({ where, path, fails }) => where === 'tool add' && path.startsWith('outputSchema') && fails,
      ) &&
      report.listing.some(
        ({ target, tool, broken }) => target === 'candidate' && tool === 'add' && broken === 'output_schema',
      ),
  },
];

export function faultNamed(wanted: string): Fault {
  const fault = FAULTS.find(({ name }) => name === wanted);
  if (fault === undefined) throw new Error(`no fault is called ${wanted}`);
  return fault;
}

/** As few servers as hold all faults, where those of one server have an era and an exit code in common and no tool. */
export function sharedOut(faults: readonly Fault[]): readonly (readonly Fault[])[] {
  const servers: Fault[][] = [];
  for (const fault of faults) {
    const fits = servers.find((others) =>
      others.every(
        (other) =>
          other.era === fault.era &&
          other.exitCode === fault.exitCode &&
          other.writes === fault.writes &&
          !toolsOf(other).some((tool) => toolsOf(fault).includes(tool)),
      ),
    );
    if (fits === undefined) servers.push([fault]);
    else fits.push(fault);
  }
  return servers;
}

/** The tools in which a fault shows; those that write are one, since a sequence has all of them. */
export const toolsOf = ({ where, also = [], writes }: Fault): readonly string[] =>
  writes === true ? ['*Counter'] : [where, ...also].map((each) => each.replace('tool ', ''));

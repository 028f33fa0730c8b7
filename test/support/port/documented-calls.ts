/** Requests that the documented registrations answer alike, whoever serves them. */
const tool = (name: string, args?: object) =>
  ['tools/call', { name, ...(args !== undefined && { arguments: args }) }] as const;

export const DOCUMENTED_CALLS = [
  tool('add', { a: 2, b: 3 }),
  tool('lookup', { city: 'Oslo' }),
  tool('lookup', { city: 'Atlantis' }),
  tool('search', { query: 'tale' }),
  tool('search', { query: 'the', limit: 1, order: 'desc' }),
  tool('picture'),
  tool('greet'),
  ['prompts/get', { name: 'review', arguments: { language: 'python' } }],
  ['prompts/list', {}],
  ['resources/list', {}],
  ['resources/templates/list', {}],
  ['resources/read', { uri: 'docs://readme' }],
  ['resources/read', { uri: 'books://2' }],
  ['completion/complete', { ref: { type: 'ref/prompt', name: 'review' }, argument: { name: 'language', value: 'py' } }],
  [
    'completion/complete',
    { ref: { type: 'ref/resource', uri: 'books://{number}' }, argument: { name: 'number', value: '1' } },
  ],
] as const;

/**
 * Public MCP servers that nobody here wrote, at fixed versions: whether the inputs that `mcp-parity` makes up get
 * somewhere is measured on these. Each speaks stdio, needs no account and no network, and gets a folder of its own.
 */
export interface PublicServer {
  readonly name: string;
  readonly version: string;
  /** An older version, whose program is at the same place. */
  readonly older?: string;
  /** The program inside the package. */
  readonly program: string;
  /** Arguments; `<folder>` stands for the folder of this process, which has a few files in it. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Tools that wait for people or the network, or that write for ever. */
  readonly skip?: readonly string[];
}

export const PUBLIC_SERVERS: readonly PublicServer[] = [
  {
    name: '@modelcontextprotocol/server-everything',
    version: '2026.8.31',
    older: '2026.1.26',
    program: 'dist/index.js',
    skip: ['trigger-long-running-operation', 'trigger-sampling-request', 'trigger-elicitation-request', 'toggle-*'],
  },
  {
    name: '@modelcontextprotocol/server-filesystem',
    version: '2026.8.31',
    older: '2026.1.14',
    program: 'dist/index.js',
    args: ['<folder>'],
    // What one side has moved is not there any more for the other, which works in the same folder.
    skip: ['move_file'],
  },
  {
    name: '@modelcontextprotocol/server-memory',
    version: '2026.8.31',
    older: '2026.1.26',
    program: 'dist/index.js',
    env: { MEMORY_FILE_PATH: '<folder>/memory.jsonl' },
  },
  {
    name: '@modelcontextprotocol/server-sequential-thinking',
    version: '2026.8.31',
    older: '2025.12.18',
    program: 'dist/index.js',
  },
  {
    name: '@modelcontextprotocol/server-budget-allocator',
    version: '2.0.3',
    older: '1.7.5',
    program: 'dist/index.js',
    args: ['--stdio'],
  },
  {
    name: '@modelcontextprotocol/server-scenario-modeler',
    version: '2.0.3',
    older: '1.7.5',
    program: 'dist/index.js',
    args: ['--stdio'],
  },
  {
    name: '@modelcontextprotocol/server-customer-segmentation',
    version: '2.0.3',
    older: '1.7.5',
    program: 'dist/index.js',
    args: ['--stdio'],
  },
  { name: '@coo-quack/calc-mcp', version: '2.1.1', older: '2.1.0', program: 'dist/index.js' },
  { name: 'time-mcp', version: '1.0.6', older: '1.0.4', program: 'dist/index.js' },
  { name: 'bazi-mcp', version: '0.1.0', program: 'dist/stdio.js' },
  {
    name: '@cyanheads/git-mcp-server',
    version: '2.15.3',
    older: '2.10.5',
    program: 'dist/index.js',
    // Both sides work in one repository, and what one of them writes there the other would see.
    skip: [
      ...['git_add', 'git_checkout', 'git_commit', 'git_init', 'git_merge', 'git_rebase', 'git_reset', 'git_stash'],
      ...['git_cherry_pick', 'git_clone', 'git_fetch', 'git_pull', 'git_push'],
    ],
  },
  {
    name: '@kazuph/mcp-taskmanager',
    version: '1.1.1',
    program: 'dist/index.js',
    env: { TASK_MANAGER_FILE_PATH: '<folder>/tasks.json' },
  },
];

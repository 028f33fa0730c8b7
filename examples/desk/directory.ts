/** The people of the desk by role, and the documents they look after. Data and one look-up; none is a real person. */

export interface Member {
  readonly id: string;
  readonly role: string;
  readonly team: string;
  /** An IANA name. */
  readonly timezone: string;
  /** Ids of the documents that this role looks after; every document has exactly one such role. */
  readonly documents: readonly string[];
}

export const MEMBERS: readonly Member[] = [
  {
    id: 'p-001',
    role: 'Documentation lead',
    team: 'Editorial',
    timezone: 'Europe/Lisbon',
    documents: ['deprecate-politely', 'docs-next-to-code', 'one-idea-a-page'],
  },
  {
    id: 'p-002',
    role: 'Migration writer',
    team: 'Guides',
    timezone: 'Europe/Lisbon',
    documents: ['migrate-from-mcp-agent', 'move-sessions-not-requests', 'session-ids'],
  },
  {
    id: 'p-003',
    role: 'Protocol writer',
    team: 'Reference',
    timezone: 'Asia/Kolkata',
    documents: ['json-rpc-errors', 'server-sent-events', 'streamable-http'],
  },
  {
    id: 'p-004',
    role: 'HTTP writer',
    team: 'Reference',
    timezone: 'America/Toronto',
    documents: ['conditional-requests', 'http-methods', 'http-status-codes'],
  },
  {
    id: 'p-005',
    role: 'Security reviewer',
    team: 'Reference',
    timezone: 'Europe/Helsinki',
    documents: ['cors-preflight', 'host-and-origin', 'tool-annotations'],
  },
  {
    id: 'p-006',
    role: 'Tool design writer',
    team: 'Guides',
    timezone: 'America/Toronto',
    documents: ['error-texts', 'json-schema-listings', 'tool-descriptions'],
  },
  {
    id: 'p-007',
    role: 'Platform writer',
    team: 'Guides',
    timezone: 'Australia/Sydney',
    documents: ['durable-object-migrations', 'pure-tools', 'stateless-state'],
  },
  {
    id: 'p-008',
    role: 'Testing writer',
    team: 'Editorial',
    timezone: 'Asia/Tokyo',
    documents: ['compare-meaning', 'see-it-fail', 'shadow-traffic'],
  },
];

const BY_ID: ReadonlyMap<string, Member> = new Map(MEMBERS.map((member) => [member.id, member]));

export const findMember = (id: string): Member | undefined => BY_ID.get(id);

/** Group G: deployment, configuration, classes of Durable Objects. */
import type { Disposition } from './types.ts';

const MIGRATIONS = 'test/node/migrations.test.ts';
const PACKAGES = 'test/node/packages.test.ts';
const RETIRE = 'test/node/cutover/admin-retire.test.ts';
const none = { legacy: 'the same', compat: 'the same', modern: 'the same' } as const;

export const GROUP_G: readonly Disposition[] = [
  {
    id: 'G1',
    title: 'Deleting the class of an agent deletes every session with its data, and no rollback brings it back',
    plain: { legacy: 'all data is deleted', compat: 'no class', modern: 'no class' },
    disposition: 'refused',
    now: 'retire-check refuses while a session, a recent legacy call or a blocked client speaks against it.',
    proof: [
      {
        file: RETIRE,
        tests: ['is ready when nothing speaks against it', 'names the first blocked clients with what blocks them'],
      },
    ],
  },
  {
    id: 'G2',
    title: 'A version with a new migration cannot be deployed gradually',
    plain: { legacy: 'a ramp by versions stops at a migration', compat: 'the same', modern: 'the same' },
    disposition: 'documented',
    ours: { legacy: 'ramps are flags, and need no version', compat: 'the same', modern: 'the same' },
    reference: 'Cloudflare: gradual deployments, "Durable Objects migrations"',
    why: 'The platform applies a migration at once or not at all. Clients are moved by flags, not by versions, so no ramp needs a migration; the last step is a deployment of its own.',
    proof: [{ file: RETIRE, tests: ['is ready when nothing speaks against it'] }],
  },
  {
    id: 'G3',
    title: 'A class that an environment still binds cannot be deleted',
    plain: none,
    disposition: 'refused',
    now: 'A check of the configuration names the environment, in every test run.',
    proof: [
      {
        file: MIGRATIONS,
        tests: ['deletes what an environment binds', 'keep the rules, and everything that was ever committed'],
      },
    ],
  },
  {
    id: 'G4',
    title: 'A history of migrations is replayed whole, so none of its tags may be edited or removed',
    plain: none,
    disposition: 'refused',
    now: 'A check compares the tags with every version that was committed.',
    proof: [{ file: MIGRATIONS, tests: ['no tag may be %s, committed or not', 'deletes what no tag creates'] }],
  },
  {
    id: 'G5',
    title: 'Declared classes and migrations exclude each other',
    plain: none,
    disposition: 'refused',
    now: 'A check refuses a configuration that has both.',
    proof: [{ file: MIGRATIONS, tests: ['stands beside a declaration', 'may be declared instead'] }],
  },
  {
    id: 'G6',
    title: 'In a gradual deployment new code in front talks to objects that run the old one',
    plain: { legacy: 'package and objects may differ', compat: 'no objects', modern: 'no objects' },
    disposition: 'documented',
    ours: {
      legacy: 'package and objects may differ',
      compat: 'state objects may run the old code',
      modern: 'state objects may run the old code',
    },
    reference: 'Cloudflare: gradual deployments with Durable Objects',
    why: 'The platform pins an object to a version. Versions of the packages are therefore raised in a deployment of their own, and not while clients are being moved. Stored state says which version of its definition wrote it.',
    proof: [
      { file: PACKAGES, tests: ['%s is the version that agents pins, and there is one copy'] },
      {
        file: 'test/node/state.test.ts',
        tests: ['of a later version, after a rollback, is a fault, and stays as it is'],
      },
    ],
  },
  {
    id: 'G7',
    title: '`agents` pins its SDKs exactly, and does not install them',
    plain: none,
    disposition: 'refused',
    now: 'A test compares the installed versions with the pins.',
    proof: [{ file: PACKAGES, tests: ['%s is the version that agents pins, and there is one copy'] }],
  },
  {
    id: 'G8',
    title: 'One import from the wrong path brings SDK v1 into the stateless bundle',
    plain: { legacy: 'its own', compat: 'by path', modern: 'by path' },
    disposition: 'refused',
    now: 'A test looks at the inputs of the bundle.',
    proof: [{ file: 'test/node/bundle.test.ts', tests: ['the stateless half holds no SDK v1 and no legacy code'] }],
  },
  {
    id: 'G9',
    title: 'The packages need the Node compatibility of the platform',
    plain: none,
    disposition: 'refused',
    now: 'A test reads the configuration.',
    proof: [{ file: PACKAGES, tests: ['the Worker has the compatibility that the packages need'] }],
  },
  {
    id: 'G10',
    title: 'Another copy of Zod fails at registration, or at the first list',
    plain: { legacy: 'mostly works', compat: 'fails', modern: 'fails' },
    disposition: 'refused',
    now: 'No schema ever reaches an SDK, and there is one copy.',
    proof: [{ file: PACKAGES, tests: ['there is one copy of Zod for the Worker'] }],
  },
  {
    id: 'G11',
    title: 'Wrappers that patch a v1 server do half of their work on v2',
    plain: { legacy: 'work', compat: 'in part', modern: 'in part' },
    disposition: 'identical',
    now: 'Nothing patches a server: the log and the census see every request of every lane at the door.',
    proof: [{ file: 'test/contract/census.test.ts', tests: ['counts and sessions survive a restart of the object'] }],
  },
  {
    id: 'G12',
    title: 'What is counted at initialize is not counted where there is none',
    plain: { legacy: 'a session', compat: 'a request', modern: 'never' },
    disposition: 'identical',
    now: 'The census counts requests, by client, era and lane.',
    proof: [{ file: 'test/contract/census-sessions.test.ts', tests: ['are open from their start to their end'] }],
  },
];

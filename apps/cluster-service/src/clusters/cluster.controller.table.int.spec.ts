import { commandSubject, RefusedError, type CommandResult } from '@stave/contracts';
import { ClusterInStates, ways } from './clusters-in-states.fixture.js';
import { ClustersHarness, type Replica } from './clusters.fixture.js';

let harness: ClustersHarness;
let replica: Replica;
beforeAll(async () => {
  harness = await ClustersHarness.open();
  replica = await harness.replica();
});
afterAll(() => harness.close());

const patch = (patch: object) => (c: ClusterInStates) => c.ask('patch', { patch });
const commands: Readonly<Record<string, (cluster: ClusterInStates) => Promise<unknown>>> = {
  credentials: c => c.ask('credentials'),
  describe: patch({ description: 'mine' }),
  label: patch({ labels: { tier: 'gold' } }),
  network: patch({ network: { cidr: '10.8.0.0/16' } }),
  options: patch({ options: { size: 'huge' } }),
  pause: c => c.act('pause'),
  resume: c => c.act('resume'),
  rebuild: c => c.act('rebuild'),
  reboot: c => c.act('reboot', { type: 'hard' }),
  upgrade: c => c.act('upgrade'),
  unknown: c => c.act('upgrade', { version: '9.9.9' }),
  retry: c => c.act('retry'),
  delete: c => c.ask('delete'),
  force: c => c.ask('delete', { force: true }),
  cancel: async c => {
    const id = (await c.state()).operations[0]?.id ?? 'c-none';
    return harness.request<CommandResult>(replica, commandSubject('cluster-service', 'operation', 'cancel'), { id });
  },
};

/** `internal` would be an exception: a 500. */
const answer = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => 'yes',
    (error: unknown) => (error instanceof RefusedError ? error.error.code : String(error)),
  );

const table = `
                   | credentials  | describe      | label         | network       | options       | pause         | resume        | rebuild        | reboot         | upgrade        | unknown        | retry          | delete        | force     | cancel
creating           | not-built    | yes           | yes           | yes           | yes           | yes           | yes           | busy           | busy           | busy           | busy           | nothing-to-retry | yes           | yes       | yes
creating, at it    | not-built    | yes           | yes           | yes           | yes           | yes           | yes           | busy           | busy           | busy           | busy           | nothing-to-retry | yes           | yes       | yes
could not be built | not-built    | yes           | yes           | yes           | yes           | yes           | yes           | cluster-failed | cluster-failed | cluster-failed | cluster-failed | yes            | yes           | yes       | not-found
active             | no-conductor | yes           | yes           | yes           | yes           | yes           | yes           | yes            | yes            | not-newer      | no-conductor-available  | nothing-to-retry | yes           | yes       | not-found
degraded           | no-conductor | yes           | yes           | yes           | yes           | yes           | yes           | yes            | yes            | not-newer      | no-conductor-available  | nothing-to-retry | yes           | yes       | not-found
updating           | no-conductor | yes           | yes           | yes           | yes           | yes           | yes           | busy           | busy           | busy           | busy           | nothing-to-retry | yes           | yes       | not-cancellable
update failed       | no-conductor | yes           | yes           | yes           | yes           | yes           | yes           | yes            | yes            | not-newer      | no-conductor-available  | yes            | yes           | yes       | not-found
rebuilding         | no-conductor | yes           | yes           | busy          | busy          | yes           | yes           | busy           | busy           | busy           | busy           | nothing-to-retry | yes           | yes       | yes
rebooting          | no-conductor | yes           | yes           | busy          | busy          | yes           | yes           | busy           | busy           | busy           | busy           | nothing-to-retry | yes           | yes       | yes
paused             | no-conductor | yes           | yes           | paused        | paused        | yes           | yes           | paused         | paused         | paused         | paused         | paused         | yes           | yes       | not-found
paused, creating   | not-built    | yes           | yes           | paused        | paused        | yes           | yes           | paused         | paused         | paused         | paused         | paused         | yes           | yes       | yes
deleting           | no-conductor | being-deleted | being-deleted | being-deleted | being-deleted | being-deleted | being-deleted | being-deleted  | being-deleted  | being-deleted  | being-deleted  | nothing-to-retry | being-deleted | yes       | not-cancellable
deletion failed     | no-conductor | being-deleted | being-deleted | being-deleted | being-deleted | being-deleted | being-deleted | being-deleted  | being-deleted  | being-deleted  | being-deleted  | yes            | yes           | yes       | not-found
deleted            | not-found    | not-found     | not-found     | not-found     | not-found     | not-found     | not-found     | not-found      | not-found      | not-found      | not-found      | not-found      | not-found     | not-found | not-found
`;

const [[, ...columns] = [], ...lines] = table
  .trim()
  .split('\n')
  .map(line => line.split('|').map(cell => cell.trim()));

it('the table has a row for each state and a column for each command', () => {
  expect(lines.map(([name]) => name)).toEqual(Object.keys(ways));
  expect(columns).toEqual(Object.keys(commands));
});

it.each(lines)(
  'a cluster that is %s answers each command as the table says, and none with an exception',
  async (name = '', ...cells) => {
    const answers: Record<string, string> = {};
    for (const [is, command] of Object.entries(commands)) {
      const cluster = await ClusterInStates.create(harness, replica, `c-${Object.keys(ways).indexOf(name)}-${is}`);
      await ways[name]?.(cluster);
      answers[is] = await answer(command(cluster));
    }
    expect(answers).toEqual(Object.fromEntries(columns.map((is, i) => [is, cells[i]])));
  },
);

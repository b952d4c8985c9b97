import { itAnswersAsIn } from '../kernel/command-table.fixture.js';
import type { Decision } from '../kernel/decider.js';
import { foldAll } from '../kernel/given.fixture.js';
import { cancelClusterOperation, retryCluster, updateCluster } from './cluster-decider.js';
import type { ClusterEvent } from './cluster-events.js';
import type { ClusterState } from './cluster-state.js';
import * as at from './cluster-states.fixture.js';

const cancel = (state: ClusterState): Decision<ClusterEvent> =>
  cancelClusterOperation(state, {
    operationId: state.operations[0]?.id ?? 'none',
    deletion: at.begin('op-cancel', 'delete'),
  });

const commands: Readonly<Record<string, (state: ClusterState) => Decision<ClusterEvent>>> = {
  describe: s => updateCluster(s, { description: 'mine' }, { operation: at.begin('none', 'update') }),
  label: at.label,
  network: at.patch('op-next', '10.8.0.0/16'),
  pause: at.pause,
  resume: at.resume,
  rebuild: at.rebuild,
  reboot: at.reboot,
  upgrade: at.upgrade('3.0.0'),
  older: at.upgrade('1.0.0'),
  retry: s => retryCluster(s, { operation: at.begin('op-retry', 'retry') }),
  delete: at.remove,
  force: at.force,
  cancel,
};

const table = `
                           | describe      | label         | network       | pause         | resume        | rebuild        | reboot         | upgrade        | older          | retry          | delete        | force     | cancel
creating, nobody at it     | yes           | yes           | yes           | yes           | same          | busy           | busy           | busy           | busy           | nothing-to-retry | yes           | yes       | yes
creating, at it            | yes           | yes           | yes           | yes           | same          | busy           | busy           | busy           | busy           | nothing-to-retry | yes           | yes       | yes
creating, its groups       | yes           | yes           | yes           | yes           | same          | busy           | busy           | busy           | busy           | nothing-to-retry | yes           | yes       | yes
could not be built         | yes           | yes           | yes           | yes           | same          | cluster-failed | cluster-failed | cluster-failed | cluster-failed | yes            | yes           | yes       | operation-ended
active                     | yes           | yes           | yes           | yes           | same          | yes            | yes            | yes            | not-newer      | nothing-to-retry | yes           | yes       | operation-ended
degraded                   | yes           | yes           | yes           | yes           | same          | yes            | yes            | yes            | not-newer      | nothing-to-retry | yes           | yes       | operation-ended
updating, nobody at it     | yes           | yes           | yes           | yes           | same          | busy           | busy           | busy           | busy           | nothing-to-retry | yes           | yes       | not-cancellable
updating, at it            | yes           | yes           | yes           | yes           | same          | busy           | busy           | busy           | busy           | nothing-to-retry | yes           | yes       | not-cancellable
update failed permanently            | yes           | yes           | yes           | yes           | same          | yes            | yes            | yes            | not-newer      | yes            | yes           | yes       | operation-ended
rebuilding, shared parts   | yes           | yes           | busy          | yes           | same          | busy           | busy           | busy           | busy           | nothing-to-retry | yes           | yes       | yes
rebuilding, nodes          | yes           | yes           | busy          | yes           | same          | busy           | busy           | busy           | busy           | nothing-to-retry | yes           | yes       | yes
rebuild failed permanently           | yes           | yes           | yes           | yes           | same          | yes            | yes            | yes            | not-newer      | yes            | yes           | yes       | operation-ended
rebuilding at once         | yes            | yes            | busy           | yes            | same           | busy           | busy           | busy           | busy           | nothing-to-retry | yes            | yes            | not-cancellable
rebuild at once failed     | yes            | yes            | yes            | yes            | same           | yes            | yes            | yes            | not-newer      | yes            | yes            | yes            | operation-ended
rebooting at once          | yes            | yes            | busy           | yes            | same           | busy           | busy           | busy           | busy           | nothing-to-retry | yes            | yes            | not-cancellable
rebooting                  | yes           | yes           | busy          | yes           | same          | busy           | busy           | busy           | busy           | nothing-to-retry | yes           | yes       | yes
upgrading                  | yes           | yes           | busy          | yes           | same          | busy           | busy           | busy           | busy           | nothing-to-retry | yes           | yes       | yes
paused                     | yes           | yes           | paused        | same          | yes           | paused         | paused         | paused         | paused         | paused         | yes           | yes       | operation-ended
paused, creating           | yes           | yes           | paused        | same          | yes           | paused         | paused         | paused         | paused         | paused         | yes           | yes       | yes
paused, rebuilding         | yes           | yes           | paused        | same          | yes           | paused         | paused         | paused         | paused         | paused         | yes           | yes       | yes
paused, could not be built | yes           | yes           | yes           | same          | yes           | paused         | paused         | paused         | paused         | paused         | yes           | yes       | operation-ended
deleting                   | being-deleted | being-deleted | being-deleted | being-deleted | being-deleted | being-deleted  | being-deleted  | being-deleted  | being-deleted  | nothing-to-retry | being-deleted | yes       | not-cancellable
deleting, shared parts     | being-deleted | being-deleted | being-deleted | being-deleted | being-deleted | being-deleted  | being-deleted  | being-deleted  | being-deleted  | nothing-to-retry | being-deleted | yes       | not-cancellable
deletion failed permanently          | being-deleted | being-deleted | being-deleted | being-deleted | being-deleted | being-deleted  | being-deleted  | being-deleted  | being-deleted  | yes            | yes           | yes       | operation-ended
deleted                    | not-found     | not-found     | not-found     | not-found     | not-found     | not-found      | not-found      | not-found      | not-found      | not-found      | not-found     | not-found | operation-ended
`;

const states = Object.fromEntries(
  Object.entries(at.states).map(([name, events]) => [name, (): ClusterState => at.stateAfter(...events)]),
);
itAnswersAsIn(table, 'cluster', { states, commands });

it.each(Object.entries(states))(
  'a command to a cluster that is %s raises the revision by one, and its operation is open',
  (_name, make) => {
    const state = make();
    for (const decide of Object.values(commands)) {
      const decision = decide(state);
      if (!decision.ok || decision.events.length === 0) continue;
      const next = foldAll(at.cluster, decision.events, state);
      const begun = decision.events.flatMap(({ data }) =>
        'operation' in data && data.operation ? [data.operation.id] : [],
      );
      expect(next.operations.map(o => o.id)).toEqual(expect.arrayContaining(begun));
      if (decide !== cancel && decide !== commands['retry']) expect(next.revision).toBe(state.revision + 1);
    }
  },
);

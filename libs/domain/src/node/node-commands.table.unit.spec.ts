import { itAnswersAsIn } from '../kernel/command-table.fixture.js';
import type { Decision } from '../kernel/decider.js';
import { abandonNode, requestNodeRollout, updateNodeMetadata } from './group-requests.js';
import type { NodeEvent } from './node-events.js';
import type { NodeState } from './node-state.js';
import { active, broken, declared, done, fold, operation, remove, then, work } from './node.fixture.js';
import * as decide from './node-decider.js';

type Decide = (state: NodeState) => Decision<NodeEvent>;

const turn =
  (kind: 'rebuild' | 'softReboot'): Decide =>
  s =>
    requestNodeRollout(s, { rolloutId: 't', kind, operationId: 'op5' });
const tag: Decide = s => updateNodeMetadata(s, { metadataGeneration: 1, labels: { a: '1' }, taints: [] }, 'op6');

const commands: Readonly<Record<string, Decide>> = {
  cordon: s => decide.cordonNode(s, { cordon: true }),
  uncordon: s => decide.cordonNode(s, { cordon: false }),
  drain: s => decide.drainNode(s, { operation: operation('drain') }),
  rebuild: s => decide.rebuildNode(s, { operation: operation('rebuild') }),
  reboot: s => decide.rebootNode(s, { operation: operation('reboot'), type: 'hard' }),
  retry: s => decide.retryNodeTask(s, { operation: operation('retry') }),
  cancel: s => decide.cancelNodeOperation(s, s.operation?.id ?? 'none'),
  removal: s => decide.removeNode(s, { reason: 'removed', operationId: 'op10' }),
  turn: s => requestNodeRollout(s, { rolloutId: 'next', kind: 'rebuild', operationId: 'op11' }),
  labels: s => updateNodeMetadata(s, { metadataGeneration: 2, labels: { a: '2' }, taints: [] }, 'op12'),
  abandon: abandonNode,
};

const drained: NodeEvent = { type: 'NodeDrained', data: {} };
const lost: NodeEvent = { type: 'NodeBecameUnreachable', data: { reason: 'gone' } };
const stuck = work([...then(active, remove), drained], broken);
const states: Readonly<Record<string, readonly NodeEvent[]>> = {
  creating: declared,
  'not built': work(declared, broken),
  active,
  cordoned: then(active, s => decide.cordonNode(s, { cordon: true })),
  draining: then(active, s => decide.drainNode(s, { operation: operation('d') })),
  rebuilding: then(active, s => decide.rebuildNode(s, { operation: operation('r') })),
  rebooting: then(active, s => decide.rebootNode(s, { operation: operation('r'), type: 'soft' })),
  'on its turn to be rebuilt': then(active, turn('rebuild')),
  'on its turn to be restarted': then(active, turn('softReboot')),
  relabelled: then(active, tag),
  'not relabelled': work(then(active, tag), broken),
  unreachable: [...active, lost],
  leaving: then(active, remove),
  'being removed': [...then(active, remove), drained],
  'not removed': stuck,
  deleted: work([...then(active, remove), drained], done),
  abandoned: then(stuck, abandonNode),
};

const table = `
                            | cordon        | uncordon      | drain         | rebuild       | reboot        | retry          | cancel          | removal   | turn | labels | abandon
creating                    | yes           | same          | busy          | yes           | busy          | nothing-to-retry | operation-ended | yes       | same | same   | same
not built                   | yes           | same          | busy          | yes           | busy          | yes            | operation-ended | yes       | same | same   | same
active                      | yes           | same          | yes           | yes           | yes           | nothing-to-retry | operation-ended | yes       | yes  | yes    | same
cordoned                    | same          | yes           | yes           | yes           | yes           | nothing-to-retry | operation-ended | yes       | yes  | yes    | same
draining                    | same          | yes           | busy          | yes           | busy          | nothing-to-retry | yes             | yes       | same | same   | same
rebuilding                  | yes           | same          | busy          | yes           | busy          | nothing-to-retry | not-cancellable | yes       | same | same   | same
rebooting                   | yes           | same          | busy          | yes           | busy          | nothing-to-retry | not-cancellable | yes       | same | same   | same
on its turn to be rebuilt   | yes           | same          | busy          | yes           | busy          | nothing-to-retry | operation-ended | yes       | same | same   | same
on its turn to be restarted | yes           | same          | busy          | yes           | busy          | nothing-to-retry | operation-ended | yes       | same | same   | same
relabelled                  | yes           | same          | yes           | yes           | yes           | nothing-to-retry | operation-ended | yes       | same | same   | same
not relabelled              | yes           | same          | yes           | yes           | yes           | nothing-to-retry | operation-ended | yes       | yes  | yes    | same
unreachable                 | yes           | same          | yes           | yes           | yes           | nothing-to-retry | operation-ended | yes       | same | same   | same
leaving                     | being-deleted | being-deleted | being-deleted | being-deleted | being-deleted | nothing-to-retry | not-cancellable | same      | same | same   | same
being removed               | being-deleted | being-deleted | being-deleted | being-deleted | being-deleted | nothing-to-retry | not-cancellable | same      | same | same   | same
not removed                 | being-deleted | being-deleted | being-deleted | being-deleted | being-deleted | yes            | not-cancellable | yes       | same | same   | yes
deleted                     | not-found     | not-found     | not-found     | not-found     | not-found     | not-found      | not-cancellable | same      | same | same   | same
abandoned                   | not-found     | not-found     | not-found     | not-found     | not-found     | not-found      | not-cancellable | same      | same | same   | same
`;

itAnswersAsIn(table, 'node', {
  states: Object.fromEntries(Object.entries(states).map(([name, events]) => [name, () => fold(events)])),
  commands,
});

import { foldAll } from '../kernel/given.fixture.js';
import { doneOf } from '../task/task-outcomes.fixture.js';
import {
  cancelNetworkOperation,
  createNetwork,
  deleteNetwork,
  releaseNetwork,
  reportNetworkTask,
  retryNetwork,
  updateNetwork,
} from './network-decider.js';
import type { NetworkDeclaration, NetworkEvent } from './network-events.js';
import { networkStream, type NetworkState } from './network-state.js';

const operation = (kind: string) => ({ id: `s-${kind}`, kind: `network.${kind}`, total: 1 });
const declared = (scope: 'node' | 'cluster'): NetworkDeclaration => ({
  id: 'n',
  name: 'front',
  projectId: 'p',
  clusterId: 'k',
  driver: 'overlay',
  scope,
  options: {},
  subnet: '10.0.0.0/24',
  labels: {},
  autoRemove: false,
  operation: operation('create'),
});
const events = (decision: ReturnType<typeof createNetwork>): readonly NetworkEvent[] => {
  if (!decision.ok) throw new Error(decision.refusal.code);
  return decision.events;
};
const given = (scope: 'node' | 'cluster', ...more: NetworkEvent[]): NetworkState =>
  foldAll(networkStream, [...events(createNetwork(declared(scope))), ...more]);
const types = (decision: ReturnType<typeof createNetwork>): readonly string[] | string =>
  decision.ok ? decision.events.map(({ type }) => type) : decision.refusal.code;
const after = (state: NetworkState, decision: ReturnType<typeof createNetwork>): NetworkState =>
  events(decision).reduce((s, e) => networkStream.evolve(s, e, 't'), state);
const claimed = (state: NetworkState): NetworkState => {
  const { taskId, kind, generation } = state.work.wanted!;
  const data = { taskId, kind, generation, attempt: 1, conductor: 'c', session: 's', epoch: 1 };
  return networkStream.evolve(state, { type: 'TaskClaimed', data }, 't');
};
const report = (state: NetworkState, outcome: Parameters<typeof reportNetworkTask>[0]['outcome']) =>
  reportNetworkTask({ taskId: state.work.claim!.taskId, attempt: 1, conductor: 'c', session: 's', outcome }, state);
const deletion = { operationId: 's-delete', operation: operation('delete'), reason: 'asked', users: [] };

describe('Networks', () => {
  it('a network of node scope can be used at once, one of cluster scope when it is built', () => {
    expect(given('node')).toMatchObject({ status: 'ACTIVE', operations: [], work: {} });
    const building = claimed(given('cluster'));
    expect(building).toMatchObject({ status: 'CREATING', work: { wanted: { kind: 'network.create' } } });
    const built = after(building, report(building, doneOf('network.create')));
    expect(built).toMatchObject({ status: 'ACTIVE', operations: [], work: {} });
  });

  it('a network that cannot be built is FAILED until it is retried', () => {
    const building = claimed(given('cluster'));
    const failed = after(building, report(building, { type: 'failed', failure: 'permanent', message: 'no' }));
    expect(failed).toMatchObject({ status: 'FAILED', statusReason: 'no', operations: [] });
    const retried = after(failed, retryNetwork(failed, { operation: operation('retry') }));
    expect(retried).toMatchObject({ status: 'CREATING', work: { wanted: { operationId: 's-retry' } } });
    expect(types(retryNetwork(retried, { operation: operation('retry') }))).toBe('nothing-to-retry');
  });

  it('a network in use is not deleted; the system then requests nothing', () => {
    const used = { ...deletion, users: ['web'] };
    expect(types(deleteNetwork(given('node'), used))).toBe('in-use');
    expect(types(deleteNetwork(given('node'), { ...used, operation: undefined } as never))).toEqual([]);
  });

  it('a deletion waits until nothing uses the network, and removes what exists once in the cluster', () => {
    const deleting = after(given('node'), deleteNetwork(given('node'), deletion));
    expect(deleting.status).toBe('DELETING');
    expect(types(releaseNetwork(given('node')))).toEqual([]);
    expect(types(releaseNetwork(deleting))).toEqual(['NetworkReleased', 'NetworkDeleted', 'OperationEnded']);
    const wide = after(given('cluster'), deleteNetwork(given('cluster'), deletion));
    const released = after(wide, releaseNetwork(wide));
    expect(released.work.wanted).toMatchObject({ kind: 'network.delete', generation: 2, operationId: 's-delete' });
    const gone = after(claimed(released), report(claimed(released), doneOf('network.delete')));
    expect(gone).toMatchObject({ deleted: true, operations: [] });
  });

  it('a failed deletion stays DELETING, and is retried by another request', () => {
    const wide = after(given('cluster'), deleteNetwork(given('cluster'), deletion));
    const leaving = claimed(after(wide, releaseNetwork(wide)));
    const failed = after(leaving, report(leaving, { type: 'failed', failure: 'permanent', message: 'no' }));
    expect(failed).toMatchObject({ status: 'DELETING', statusReason: 'no' });
    const repeated = after(failed, deleteNetwork(failed, deletion));
    expect(repeated.work.wanted).toMatchObject({ kind: 'network.delete', operationId: 's-delete' });
  });

  it('a cancelled creation is undone', () => {
    expect(types(cancelNetworkOperation(given('cluster'), 's-create'))).toEqual([
      'OperationCancelRequested',
      'NetworkDeletionRequested',
    ]);
    expect(types(cancelNetworkOperation(given('node'), 's-create'))).toBe('operation-ended');
  });

  it('labels and autoRemove change in place, at the expected revision only', () => {
    const state = given('node');
    const changed = after(state, updateNetwork(state, { labels: { a: '1' }, autoRemove: true }, 1));
    expect(changed).toMatchObject({ labels: { a: '1' }, autoRemove: true, revision: 2 });
    expect(types(updateNetwork(changed, { autoRemove: true }))).toEqual([]);
    expect(types(updateNetwork(changed, { autoRemove: false }, 1))).toBe('revision-mismatch');
  });

  it.each([
    [{ subnet: '10.0.0.0/31' }, 'subnet-invalid'],
    [{ gateway: '10.0.1.1' }, 'gateway-outside-subnet'],
    [{ gateway: '10.0.0.0' }, 'gateway-outside-subnet'],
  ])('a network with %j is refused', (wrong, code) => {
    expect(types(createNetwork({ ...declared('node'), ...wrong }))).toBe(code);
  });
});

import { foldAll } from '../kernel/given.fixture.js';
import { doneOf } from '../task/task-outcomes.fixture.js';
import {
  abandonVolume,
  createVolume,
  deleteVolume,
  deleteVolumeWithCluster,
  detachFromContainers,
  observeVolume,
  rebindRefusal,
  rebindVolume,
  releaseVolume,
  reportVolumeTask,
  updateVolume,
} from './volume-decider.js';
import type { VolumeDeclaration, VolumeEvent } from './volume-events.js';
import { volumeStream, type VolumeState } from './volume-state.js';

type Result = ReturnType<typeof createVolume>;

const declared = (more: Partial<VolumeDeclaration> = {}): VolumeDeclaration => ({
  id: 'v',
  name: 'orders',
  projectId: 'p',
  clusterId: 'k',
  driver: 'local',
  scope: 'node',
  options: {},
  accessMode: 'shared',
  reclaimPolicy: 'retain',
  labels: {},
  ...more,
});
const events = (decision: Result): readonly VolumeEvent[] => {
  if (!decision.ok) throw new Error(decision.refusal.code);
  return decision.events;
};
const types = (decision: Result): readonly string[] | string =>
  decision.ok ? decision.events.map(({ type }) => type) : decision.refusal.code;
const after = (state: VolumeState, decision: Result): VolumeState =>
  events(decision).reduce((s, e) => volumeStream.evolve(s, e, 't'), state);
const given = (more: Partial<VolumeDeclaration> = {}): VolumeState =>
  foldAll(volumeStream, events(createVolume(declared(more))));
const onNode = (): VolumeState => after(given(), observeVolume(given(), { nodeId: 'n1', node: 'reachable' }));
const deletion = {
  operationId: 's-1',
  operation: { id: 's-1', kind: 'volume.delete', total: 1 },
  reason: 'x',
  users: [],
};
const claimed = (state: VolumeState): VolumeState => {
  const { taskId, kind, generation } = state.work.wanted!;
  const data = { taskId, kind, generation, attempt: 1, conductor: 'c', session: 's', epoch: 1 };
  return volumeStream.evolve(state, { type: 'TaskClaimed', data }, 't');
};
const report = (state: VolumeState, outcome: Parameters<typeof reportVolumeTask>[0]['outcome']) =>
  reportVolumeTask({ taskId: state.work.claim!.taskId, attempt: 1, conductor: 'c', session: 's', outcome }, state);

describe('Volumes', () => {
  it('a volume of node scope can be used at once, and shows the node that has its data', () => {
    expect(given()).toMatchObject({ status: 'ACTIVE', work: {} });
    expect(onNode()).toMatchObject({ status: 'ACTIVE', nodeId: 'n1' });
    expect(types(observeVolume(onNode(), { nodeId: 'n1', node: 'reachable' }))).toEqual([]);
  });

  it('data is UNKNOWN while its node cannot be reached, found again with it, and LOST with its removal', () => {
    const unknown = after(onNode(), observeVolume(onNode(), { nodeId: 'n1', node: 'unreachable' }));
    expect(unknown.status).toBe('UNKNOWN');
    expect(after(unknown, observeVolume(unknown, { nodeId: 'n1', node: 'reachable' })).status).toBe('ACTIVE');
    const lost = after(unknown, observeVolume(unknown, { nodeId: 'n1', node: 'removed' }));
    expect(lost).toMatchObject({ status: 'LOST', nodeId: 'n1' });
  });

  it('a rebind discards the data, unless containers use it', () => {
    expect(types(rebindVolume(onNode(), { users: ['db'] }))).toBe('in-use');
    const rebound = after(onNode(), rebindVolume(onNode(), { users: [] }));
    expect(rebound).toMatchObject({ status: 'ACTIVE', revision: 2 });
    expect(rebound.nodeId).toBeUndefined();
    expect(rebindRefusal(rebound)?.code).toBe('not-bound');
    // the ledger was first: what the command decides afterwards changes nothing
    expect(types(rebindVolume(rebound, { users: [] }))).toEqual([]);
    expect(types(observeVolume(onNode(), { nodeId: undefined, node: undefined }))).toEqual(['VolumeRebound']);
  });

  it('a volume is taken from its containers by force only', () => {
    expect(types(detachFromContainers(given(), { users: ['db'], force: false }))).toBe('in-use');
    expect(types(detachFromContainers(given(), { users: ['db'], force: true }))).toEqual(['VolumeDetachRequested']);
    expect(types(detachFromContainers(given(), { users: [], force: false }))).toEqual([]);
  });

  it('a deletion removes data where there is any', () => {
    const unused = after(given(), deleteVolume(given(), deletion));
    expect(types(releaseVolume(unused))).toEqual(['VolumeReleased', 'VolumeDeleted', 'OperationEnded']);
    const deleting = after(onNode(), deleteVolume(onNode(), deletion));
    const released = after(deleting, releaseVolume(deleting));
    expect(released.work.wanted).toMatchObject({ kind: 'volume.delete', operationId: 's-1' });
    expect(after(claimed(released), report(claimed(released), doneOf('volume.delete'))).deleted).toBe(true);
    expect(types(abandonVolume(released, false))).toEqual([]);
    expect(types(abandonVolume(released, true))).toEqual(['VolumeDeleted', 'OperationEnded']);
  });

  it('with its cluster, local data goes and retained data elsewhere is abandoned', () => {
    expect(after(onNode(), deleteVolumeWithCluster(onNode(), 'c-1'))).toMatchObject({ deleted: true });
    const wide = given({ scope: 'cluster' });
    const kept = after(wide, deleteVolumeWithCluster(wide, 'c-1'));
    expect(kept).toMatchObject({ deleted: true, abandoned: expect.stringContaining('retain') });
    const scratch = given({ scope: 'cluster', reclaimPolicy: 'delete' });
    expect(types(deleteVolumeWithCluster(scratch, 'c-1'))).toEqual(['VolumeDeletionRequested']);
  });

  it('labels and reclaim policy change in place', () => {
    const changed = after(given(), updateVolume(given(), { labels: { a: '1' }, reclaimPolicy: 'delete' }));
    expect(changed).toMatchObject({ labels: { a: '1' }, reclaimPolicy: 'delete', revision: 2 });
    expect(after(changed, updateVolume(changed, { reclaimPolicy: null })).reclaimPolicy).toBe('retain');
    expect(types(updateVolume(changed, { reclaimPolicy: 'delete' }))).toEqual([]);
  });
});

import { active, by, codeOf, ended, take } from './group-decisions.fixture.js';
import { Simulation } from './group-simulation.fixture.js';
import { declarationOf } from './member-view.js';
import { groupChanges } from './node-group-changes.js';
import { updateNodeGroup } from './update-node-group.js';

const flavor = { cpus: 2, memoryMb: 1 };

describe('a patch of a node group', () => {
  it('a patch of a node group starts an operation only if nodes change, with one step for each task', () => {
    const group = active(3);
    const changes = (patch: Parameters<typeof updateNodeGroup>[1]) => updateNodeGroup(group.state, patch, by('op'));
    expect(changes({ flavor })).toMatchObject({ events: [{ data: { operation: { total: 6 } } }] });
    expect(changes({ labels: { a: '1' } })).toMatchObject({ events: [{ data: { operation: { total: 3 } } }] });
    expect(changes({ flavor, labels: { a: '1' }, count: 5 })).toMatchObject({
      events: [{ data: { operation: { total: 8 } } }],
    });
    for (const inPlace of [{ minCount: 1 }, { maxCount: 9 }, { conductorGroup: 'x' }, { zones: [] }]) {
      const decision = changes(inPlace);
      expect(decision.ok && decision.events.every(e => !('operation' in e.data))).toBe(true);
    }
    expect(changes({ flavor: { cpus: 1, memoryMb: 1 }, taints: [] })).toEqual({ ok: true, events: [] });
  });

  it('a patch of a node group is refused with every problem at once, and a wrong count at its pointer', () => {
    const group = active(2);
    const wrong = { count: 9, maxCount: 5, updateStrategy: { maxSurge: 0 } };
    expect(updateNodeGroup(group.state, wrong, by('op'))).toMatchObject({
      refusal: { errors: [{ pointer: '/count' }, { pointer: '/updateStrategy', code: 'no-progress' }] },
    });
  });

  it('a patch of a node group with a repeated zone or taint is refused at the repetition', () => {
    const zones = [{ name: 'a' }, { name: 'b' }, { name: 'a', region: 'eu' }];
    const taint = { key: 'gpu', effect: 'NoSchedule' } as const;
    const taints = [taint, { ...taint, effect: 'NoExecute' } as const, { ...taint, value: 'x' }];
    expect(updateNodeGroup(active(1).state, { zones, taints }, by('op'))).toMatchObject({
      refusal: {
        kind: 'rule',
        errors: [
          { pointer: '/zones/2', code: 'duplicate' },
          { pointer: '/taints/2', code: 'duplicate' },
        ],
      },
    });
  });

  it('a patch, like a resize, is a conflict when its count is below a minimum that it does not change', () => {
    const group = active(2);
    take(group, updateNodeGroup(group.state, { minCount: 2 }, by('bound')));
    const decision = updateNodeGroup(group.state, { count: 1, labels: { a: '1' } }, by('op'));
    expect(decision).toMatchObject({ refusal: { code: 'below-min-count', kind: 'conflict' } });
    expect(codeOf(updateNodeGroup(group.state, { count: 1, minCount: 1 }, by('op')))).toBe('accepted');
  });

  it('a patch needs no new nodes when it restores the specification that the nodes still have', () => {
    const group = active(3);
    const before = group.memberIds();
    take(group, updateNodeGroup(group.state, { flavor }, by('there')));
    group.settle();
    take(group, updateNodeGroup(group.state, { flavor: { cpus: 1, memoryMb: 1 } }, by('back')));
    group.exhaust(() => true);
    expect(group.memberIds()).toEqual(before);
    expect(ended(group)).toContainEqual(expect.objectContaining({ operationId: 'there', status: 'CANCELLED' }));
    expect(ended(group).at(-1)).toMatchObject({ operationId: 'back', status: 'SUCCEEDED' });
  });

  it('a patch that restores the specification removes a successor that is ready but has not taken over yet', () => {
    const group = active(2);
    const before = group.memberIds();
    take(group, updateNodeGroup(group.state, { flavor }, by('there')));
    group.settle();
    const successor = group.memberIds().find(id => !before.includes(id)) ?? '';
    group.set(successor, { ready: true });
    take(group, updateNodeGroup(group.state, { flavor: { cpus: 1, memoryMb: 1 } }, by('back')));
    group.exhaust(() => true);
    expect(group.memberIds()).toEqual(before);
  });

  it('a patch does not change the specification of nodes that were added before it', () => {
    const group = new Simulation(1);
    group.settle();
    take(group, updateNodeGroup(group.state, { flavor }, by('op')));
    const [member] = [...group.state.members.values()];
    expect(member && declarationOf(group.state, member)?.spec.flavor).toEqual({ cpus: 1, memoryMb: 1 });
    group.exhaust(() => true);
    const [other] = [...group.state.members.values()];
    expect(other && declarationOf(group.state, other)).toMatchObject({ build: 1, spec: { flavor } });
  });

  it('a patch of a node group merges objects, and null restores the value that a new group would get', () => {
    const { spec } = active(1).state;
    if (!spec) throw new Error('no specification');
    const now = { ...spec, image: 'own', options: { a: 1, b: { c: 2 } }, updateStrategy: { maxSurge: 3 } };
    const patch = { image: null, zones: null, minCount: null, flavor: { cpus: 4 }, options: { b: { c: null } } };
    const defaults = { cluster: { zones: [{ name: 'z' }] }, driver: { image: 'theirs' } };
    expect(groupChanges(now, { ...patch, updateStrategy: { maxUnavailable: 1 } }, defaults)).toEqual({
      image: 'theirs',
      zones: [{ name: 'z' }],
      minCount: 0,
      flavor: { cpus: 4, memoryMb: 1 },
      options: { a: 1, b: {} },
      updateStrategy: { maxSurge: 3, maxUnavailable: 1 },
    });
    expect(groupChanges(now, { updateStrategy: null, dataVolumeGb: null }, {})).toEqual({
      updateStrategy: null,
      dataVolumeGb: null,
    });
  });
});

describe('a change of volumes', () => {
  const data = { name: 'data', sizeGb: 5, mountPath: '/data' };

  it('replaces the nodes, and restores the build of the same volumes', () => {
    const group = active(2);
    take(group, updateNodeGroup(group.state, { volumes: [data] }, by('op')));
    expect(group.state.operations.map(({ id }) => id)).toEqual(['op']);
    const [first, second] = group.state.builds.slice(-2);
    expect([first?.spec.volumes, second?.spec.volumes]).toEqual([[], [data]]);
    take(group, updateNodeGroup(group.state, groupChanges(group.state.spec, { volumes: [] }, {}), by('back')));
    expect(group.state.builds.at(-1)).toEqual(first);
    expect(group.state.spec).not.toHaveProperty('volumes');
  });

  it('to none is no change where there are none', () => {
    const group = active(1);
    for (const volumes of [null, []])
      expect(updateNodeGroup(group.state, groupChanges(group.state.spec, { volumes }, {}), by('op'))).toEqual({
        ok: true,
        events: [],
      });
  });

  it('names each volume that has the name or the path of another', () => {
    const volumes = [data, { ...data, mountPath: '/other' }, { ...data, name: 'other' }];
    const refused = updateNodeGroup(active(1).state, { volumes }, by('op'));
    expect(refused).toMatchObject({
      refusal: {
        errors: [
          { pointer: '/volumes/1', code: 'duplicate' },
          { pointer: '/volumes/2', code: 'duplicate' },
        ],
      },
    });
  });
});

describe('a change of driver options', () => {
  const request = { ...by('op'), rollingOptions: ['size'] };

  it('updates the nodes in place unless the driver marks an option as rolling', () => {
    const group = active(2);
    const before = group.memberIds();
    take(group, updateNodeGroup(group.state, { options: { tier: 'gold' } }, request));
    expect(group.of('NodeGroupUpdated').at(-1)?.data).toMatchObject({
      rollingOptions: ['size'],
      operation: { kind: 'node-group.update', total: 2 },
    });
    expect(group.state).toMatchObject({ metadataGeneration: 1, spec: { options: { tier: 'gold' } } });
    group.exhaust(() => true);
    expect(group.memberIds()).toEqual(before);
    expect(ended(group).at(-1)).toMatchObject({ operationId: 'op', status: 'SUCCEEDED' });
  });

  it('replaces the nodes where the driver marks the option as rolling', () => {
    const group = active(2);
    const before = group.memberIds();
    take(group, updateNodeGroup(group.state, { options: { size: 2 } }, request));
    expect(group.of('NodeGroupUpdated').at(-1)?.data).toMatchObject({ operation: { total: 4 } });
    expect(group.state.metadataGeneration).toBe(0);
    group.exhaust(() => true);
    for (const id of before) expect(group.memberIds()).not.toContain(id);
  });

  it('replaces no node where rolling options return to their values, whatever changed in place meanwhile', () => {
    const group = active(2);
    const before = group.memberIds();
    const change = (options: Readonly<Record<string, unknown>>): void =>
      take(group, updateNodeGroup(group.state, { options }, request));
    change({ tier: 'gold' });
    group.exhaust(() => true);
    change({ tier: 'gold', size: 2 });
    change({ tier: 'silver' });
    group.exhaust(() => true);
    expect(group.memberIds()).toEqual(before);
  });

  it('replaces the nodes at a change of any option where no driver says how it is applied', () => {
    const group = active(1);
    take(group, updateNodeGroup(group.state, { options: { tier: 'gold' } }, by('op')));
    expect(group.of('NodeGroupUpdated').at(-1)?.data).not.toHaveProperty('rollingOptions');
    expect(group.state.builds).toHaveLength(2);
  });
});

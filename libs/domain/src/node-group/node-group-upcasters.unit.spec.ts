import { eventVersions } from '../event-versions.js';
import { createNodeGroup } from './node-group-decider.js';
import { nodeGroupStream } from './node-group-state.js';

const spec = {
  role: 'worker',
  count: 1,
  minCount: 0,
  flavor: { cpus: 1, memoryMb: 512 },
  zones: [],
  labels: {},
  taints: [],
  conductorGroup: null,
  options: {},
} as const;
const declaration = { id: 'g', clusterId: 'c', projectId: 'p', name: 'web', spec, operationId: 'o' };
const later = { maxSurge: 3, maxUnavailable: '50%' };

describe('NodeGroupCreated', () => {
  it.each([
    ['left open', undefined, { maxSurge: 1, maxUnavailable: 0 }],
    ['given in part', { maxUnavailable: 2 }, { maxSurge: 1, maxUnavailable: 2 }],
    ['given', later, later],
  ])('of version 1 with an update strategy %s has the one of then', (_how, updateStrategy, decided) => {
    const data = { ...declaration, spec: { ...spec, ...(updateStrategy && { updateStrategy }) } };
    expect(eventVersions.toCurrent('NodeGroupCreated', 1, data)).toEqual({
      ...declaration,
      spec: { ...spec, updateStrategy: decided },
    });
  });

  it('of today has one always, and its group shows it', () => {
    const decision = createNodeGroup(declaration);
    const [event] = decision.ok ? decision.events : [];
    expect(event).toMatchObject({ data: { spec: { updateStrategy: { maxSurge: 1, maxUnavailable: 0 } } } });
    const state = event && nodeGroupStream.evolve(nodeGroupStream.initial, event, 't');
    expect(state?.spec?.updateStrategy).toEqual({ maxSurge: 1, maxUnavailable: 0 });
    expect(eventVersions.currentVersion('NodeGroupCreated')).toBe(2);
  });
});

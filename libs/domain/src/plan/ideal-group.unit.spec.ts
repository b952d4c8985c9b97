import { AT } from '../kernel/given.fixture.js';
import { nodeGroupStream } from '../node-group/evolve-node-group.js';
import { rebuildNodeGroup } from '../node-group/group-actions.js';
import { spec } from '../node-group/group-simulation.fixture.js';
import { createNodeGroup } from '../node-group/node-group-decider.js';
import type { NodeGroupState } from '../node-group/node-group-state.js';
import { updateNodeGroup } from '../node-group/update-node-group.js';
import { planGroup } from './plan-group.js';
import { PlannedRun } from './planned-run.fixture.js';

function creation(count: number) {
  const operation = { id: 'o', kind: 'node-group.create', total: count };
  const home = { clusterId: 'c', projectId: 'p', operationId: 'o', operation };
  const updateStrategy = { maxSurge: 1, maxUnavailable: 0 };
  return createNodeGroup({ id: 'g', name: 'web', spec: { ...spec(count), updateStrategy }, ...home });
}

function complete(count: number): PlannedRun {
  const run = PlannedRun.of(creation(count));
  run.allWell();
  return run;
}

describe('the plan of a large group', () => {
  const run = complete(300);
  const before = run.state;
  const around = { nodes: run.nodes };

  it('the plan of a large group lists the nodes in the order in which they are replaced one by one', () => {
    const decision = updateNodeGroup(before, { flavor: { cpus: 9, memoryMb: 9 } }, { operationId: 'u' });
    if (!decision.ok) throw new Error(decision.refusal.code);
    const after = decision.events.reduce((s, e) => nodeGroupStream.evolve(s, e, AT), before);
    const steps = [...planGroup({ before, after, events: decision.events }, around)].flat();
    expect(steps).toHaveLength(300);
    steps.forEach((step, i) =>
      expect(step).toMatchObject({ action: 'replace', resource: { name: `web-${i}` }, by: `web-${i + 300}` }),
    );
  });

  it('the plan of a large group lists the nodes in the order of the batches of their rollout', () => {
    const decision = rebuildNodeGroup(before, { operation: { id: 'r', kind: 'node-group.rebuild' } });
    if (!decision.ok) throw new Error(decision.refusal.code);
    const after = decision.events.reduce((s, e) => nodeGroupStream.evolve(s, e, AT), before);
    const steps = [...planGroup({ before, after, events: decision.events }, around)].flat();
    expect(steps.map(s => [s.action, s.resource.name])).toEqual(
      Array.from({ length: 300 }, (_, i) => ['change', `web-${i}`]),
    );
  });

  it('the plan of a large group is computed in parts, so that a process can serve others in between', () => {
    const decision = creation(3_000);
    if (!decision.ok) throw new Error(decision.refusal.code);
    const after = decision.events.reduce<NodeGroupState | undefined>(
      (s, e) => nodeGroupStream.evolve(s, e, AT),
      undefined,
    );
    if (!after) throw new Error('the creation has no event');
    const effect = { before: undefined, after, events: decision.events };
    const parts = [...planGroup(effect, { nodes: () => undefined })];
    expect(parts.length).toBeGreaterThan(4);
    expect(parts.at(-1)).toHaveLength(3_000);
  });
});

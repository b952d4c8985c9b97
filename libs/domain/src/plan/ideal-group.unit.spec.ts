import { AT } from '../kernel/given.fixture.js';
import { nodeGroupStream } from '../node-group/evolve-node-group.js';
import { rebuildNodeGroup } from '../node-group/group-actions.js';
import { spec } from '../node-group/group-simulation.fixture.js';
import { createNodeGroup } from '../node-group/node-group-decider.js';
import { updateNodeGroup } from '../node-group/update-node-group.js';
import { planGroup } from './plan-group.js';
import { PlannedRun } from './planned-run.fixture.js';

function complete(count: number): PlannedRun {
  const operation = { id: 'o', kind: 'node-group.create', total: count };
  const home = { clusterId: 'c', projectId: 'p', operationId: 'o', operation };
  const updateStrategy = { maxSurge: 1, maxUnavailable: 0 };
  const data = { id: 'g', name: 'web', spec: { ...spec(count), updateStrategy }, ...home };
  const run = PlannedRun.of(createNodeGroup(data));
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
    const steps = planGroup({ before, after, events: decision.events }, around);
    expect(steps).toHaveLength(300);
    steps.forEach((step, i) =>
      expect(step).toMatchObject({ action: 'replace', resource: { name: `web-${i}` }, by: `web-${i + 300}` }),
    );
  });

  it('the plan of a large group lists the nodes in the order of the batches of their rollout', () => {
    const decision = rebuildNodeGroup(before, { operation: { id: 'r', kind: 'node-group.rebuild' } });
    if (!decision.ok) throw new Error(decision.refusal.code);
    const after = decision.events.reduce((s, e) => nodeGroupStream.evolve(s, e, AT), before);
    const steps = planGroup({ before, after, events: decision.events }, around);
    expect(steps.map(s => [s.action, s.resource.name])).toEqual(
      Array.from({ length: 300 }, (_, i) => ['change', `web-${i}`]),
    );
  });
});

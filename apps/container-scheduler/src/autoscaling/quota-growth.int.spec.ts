import { eventually } from '@stave/platform/testing';
import { groupSpec, PROJECT } from '@stave/service-kit/testing';
import { v7 as uuidv7 } from 'uuid';
import { SchedulerHarness } from '../scheduler.fixture.js';

/** The resync of the queue comes every 15 s: it alone cannot carry so many steps in this time. */
const STEPS = 5;
const WITHIN_MS = 30_000;
const LOOKS = 30;

interface Growth {
  readonly proposalId: string;
  readonly sequence: number;
  readonly from: number;
  readonly nodes: number;
}

describe('growth that waits for a quota', () => {
  let harness: SchedulerHarness;
  let groupId: string;
  beforeEach(async () => {
    harness = await SchedulerHarness.open();
    groupId = uuidv7();
    const flavor = { cpus: 4, memoryMb: 8000 };
    const autoscaling = { enabled: true, growSettleSeconds: 0 };
    const spec = { ...groupSpec(1), flavor, maxCount: 20, autoscaling };
    const about = { id: groupId, clusterId: harness.clusterId, projectId: PROJECT, name: 'grown', operationId: 'n-1' };
    await harness.append(`nodeGroup-${groupId}`, { type: 'NodeGroupCreated', data: { ...about, spec } });
    // the capacity of the next nodes is that of one that was built
    const id = await harness.node('first', harness.clusterId, groupId);
    const added = { nodes: [{ id, ordinal: 0 }], reason: '', operationId: 'n-1' };
    await harness.append(`nodeGroup-${groupId}`, { type: 'NodesAdded', data: added });
  });
  afterEach(() => harness.close());

  const limit = (nodes: number): Promise<unknown> =>
    harness.append(`quota-${PROJECT}`, { type: 'QuotaLimitsChanged', data: { limits: { nodes } } });
  const proposals = async (): Promise<readonly Growth[]> =>
    (await harness.events(`placement-${harness.clusterId}`, 'GrowthProposed')).map(({ data }) => data as Growth);

  /** Nothing more is proposed while there is no room, however often one looks. */
  const staysLimited = async (proposed: number): Promise<void> => {
    let looks = 0;
    await eventually(
      async () => {
        const asked = { nodeGroup: groupId };
        const { state } = await harness.first.ask<{ state: string }>('container', 'autoscaling', asked);
        looks = state === 'quotaLimited' ? looks + 1 : 0;
        return looks >= LOOKS;
      },
      { timeoutMs: WITHIN_MS, what: 'the group is limited by the quota' },
    );
    expect(await proposals()).toHaveLength(proposed);
  };

  it('continues with each event that gives the project more room', async () => {
    // the fixture has another group of one node in the project
    await limit(2);
    await harness.createProfile({ resources: { cpus: 3, memoryMb: 500 } });
    for (let n = 0; n < STEPS + 2; n += 1) await harness.createContainer();
    const deadline = performance.now() + WITHIN_MS;
    for (let step = 1; step <= STEPS; step += 1) {
      await staysLimited(step - 1);
      await limit(2 + step);
      const all = await eventually(
        async () => {
          const found = await proposals();
          return found.length >= step && found;
        },
        { timeoutMs: Math.max(0, deadline - performance.now()), what: `growth ${step}` },
      );
      const { from, nodes, proposalId, sequence } = all[step - 1]!;
      expect([all.length, nodes]).toEqual([step, 1]);
      const operation = { id: proposalId, kind: 'node-group.resize', total: nodes };
      const data = { count: from + nodes, operation, cause: { proposalId, sequence } };
      await harness.append(`nodeGroup-${groupId}`, { type: 'NodeGroupResized', data });
    }
  });
});

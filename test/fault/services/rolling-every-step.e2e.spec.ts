import { describeOn, natsMissing } from '@stave/testing';
import type { ClusterView, NodeGroupView, NodeView } from '../../e2e/views.js';
import { checkHistory } from '../check-history.js';
import { factOf, textIn, type HistoryEvent } from '../history.js';
import { readHistory } from '../read-history.js';
import { walksAllSteps } from './fault.config.js';
import { inParallel } from './in-parallel.js';
import type { FollowedRequest } from './step-walk.js';
import { StepHarness } from './step-harness.js';
import { firstOfEach, describeStep, type Step } from './steps.js';

const AT_ONCE = 5;
const COUNT = 3;
const CONDUCTORS = ['one', 'two'];
const old = { cpus: 1, memoryMb: 512 };
const wanted = { cpus: 2, memoryMb: 1024 };

interface Roll {
  readonly request: FollowedRequest;
  readonly step?: Step;
}

describeOn(natsMissing(), 'a rollout of a flavor, interrupted at every step', () => {
  let harness: StepHarness;
  let steps: readonly Step[] = [];

  beforeAll(async () => void (harness = await StepHarness.open(CONDUCTORS)), 240_000);
  afterAll(() => harness?.close(), 120_000);

  const cluster = (name: string): Promise<ClusterView> =>
    harness.client.succeeded<ClusterView>('POST', '/v1/clusters', `create-${name}`, {
      name,
      driver: 'fake',
      options: { latencyMs: 20 },
      nodeGroups: [{ name: 'w', role: 'worker', count: COUNT, flavor: old }],
    });

  /** Follows a change of flavor to its end; the victims are killed right after the step `after`. */
  async function roll({ id, name }: ClusterView, after?: Step, victims?: readonly string[]): Promise<FollowedRequest> {
    const request = harness.walk.follow(`roll-${name}`, {
      clusterId: id,
      endsIn: 'nodeGroup',
      ...(after ? { after } : {}),
      ...(victims ? { victims } : {}),
    });
    const body = { flavor: wanted, updateStrategy: { maxSurge: 1, maxUnavailable: 0 } };
    await harness.client.accepted('PATCH', `/v1/clusters/${id}/node-groups/w`, request.request, body);
    return harness.ended(request);
  }

  /** Returns the differences of these clusters from the expected result of one change each. */
  async function broken(prefix: string): Promise<readonly string[]> {
    const { events } = await readHistory(harness.stack);
    const nodes = await harness.client.list<NodeView>('/v1/nodes');
    const groups = await harness.client.list<NodeGroupView>('/v1/node-groups');
    const clusters = (await harness.client.list<ClusterView>('/v1/clusters')).filter(({ name }) =>
      name.startsWith(prefix),
    );
    return clusters.flatMap(({ id, name }) => {
      const own = nodes.filter(n => n.clusterId === id);
      const fresh = own.filter(n => n.status === 'ACTIVE' && n.flavor.memoryMb === wanted.memoryMb).length;
      const group = groups.find(g => g.clusterId === id);
      const declared = events.filter(e => e.type.startsWith('stave.node.declared.') && textIn(e, 'clusterId') === id);
      return [
        ...(fresh === COUNT && own.length === COUNT ? [] : [`${name}: ${fresh} new nodes of ${own.length}`]),
        ...(group?.status === 'ACTIVE' ? [] : [`${name}: the group is ${group?.status}`]),
        ...(declared.length === 2 * COUNT ? [] : [`${name}: ${declared.length} nodes were ever declared`]),
        ...replacedTwice(events, group?.id ?? '').map(node => `${name}: ${node} was replaced twice`),
      ];
    });
  }

  async function crashAfterEach(prefix: string, at: readonly Step[], victims?: readonly string[]): Promise<Roll[]> {
    const clusters: ClusterView[] = [];
    await inParallel(at, AT_ONCE, async (_, i) => void (clusters[i] = await cluster(`${prefix}${i}`)));
    const rolls: Roll[] = [];
    await inParallel(at, AT_ONCE, async (step, i) => {
      const made = clusters[i];
      if (made) rolls[i] = { step, request: await roll(made, step, victims) };
    });
    await harness.settled();
    return rolls;
  }

  it('the harness records the steps of a rollout without kills', async () => {
    const request = await roll(await cluster('quiet'));
    await harness.settled();
    expect(await broken('quiet')).toEqual([]);
    steps = walksAllSteps() ? request.steps : firstOfEach(request.steps);
    expect(steps.length).toBeGreaterThan(8);
  }, 300_000);

  it('a rollout completes, whichever step the writing service is killed at', async () => {
    const rolls = await crashAfterEach('s', steps);
    expect(rolls.filter(r => !r.request.crashed).map(r => describeStep(r.step))).toEqual([]);
    expect(await broken('s')).toEqual([]);
    expect(checkHistory(await readHistory(harness.stack))).toEqual([]);
  }, 900_000);

  it('a rollout completes, whichever step both conductors are killed at', async () => {
    const work = steps.filter(({ label }) => label.startsWith('node '));
    const rolls = await crashAfterEach('c', work, CONDUCTORS);
    expect(rolls.filter(r => !r.request.crashed).map(r => describeStep(r.step))).toEqual([]);
    expect(await broken('c')).toEqual([]);
    expect(checkHistory(await readHistory(harness.stack))).toEqual([]);
    const deaths = ['cluster-service', 'nodegroup-service', 'container-scheduler', ...CONDUCTORS]
      .map(name => `${name} ${harness.crasher.killsOf(name)}`)
      .join(', ');
    console.info(`${steps.length} steps of a rolling change, ${work.length} of conductors; killed: ${deaths}`);
  }, 900_000);
});

/** Returns the nodes for which two replacements were added. */
function replacedTwice(events: readonly HistoryEvent[], groupId: string): readonly string[] {
  const added = events.filter(e => factOf(e) === 'nodesAdded' && e.subject === `nodeGroup/${groupId}`);
  const replaced = added.flatMap(({ data }) => {
    const nodes = data['nodes'] as readonly { readonly replaces?: string }[];
    return nodes.flatMap(({ replaces }) => replaces ?? []);
  });
  return replaced.filter((node, i) => replaced.indexOf(node) !== i);
}

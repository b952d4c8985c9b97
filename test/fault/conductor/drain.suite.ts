import { eventually } from '@stave/testing';
import type { DistributedStack } from '../../distributed/stack.js';
import { factOf, textIn } from '../history.js';
import { TakeoverHarness } from './takeover-harness.js';
import type { GateRule } from './gate-rule.js';

export function describeDrain(stack: () => DistributedStack): void {
  describe('a conductor that is drained while it builds nodes', () => {
    let harness: TakeoverHarness;
    let clusterId: string;
    let finishes: GateRule;
    let outlasts: GateRule;

    beforeAll(async () => {
      harness = await TakeoverHarness.open(stack(), 'drain');
      clusterId = await harness.cluster(0);
      const create = { operation: 'node.create', call: 'create', stop: { at: 'request' } } as const;
      finishes = harness.gate.rule(create);
      outlasts = harness.gate.rule(create);
      await resize(2);
      await harness.reached([finishes, outlasts]);
      await harness.addSuccessor();
    }, 120_000);

    afterAll(() => harness?.close());

    const resize = (count: number) =>
      harness.api.post(`/v1/clusters/${clusterId}/node-groups/w/actions/resize`, { count });

    it('a draining conductor claims no new task', async () => {
      const path = `/v1/conductors/${harness.victim.name}/actions/drain`;
      // the other nodes are built, and one call ends, before the deadline, which the other call outlasts
      const deadline = `${Math.ceil(Math.max(4_000, 4 * harness.startMs) / 1_000)}s`;
      const { status, body } = await harness.api.post<{ state: string }>(path, { deadline });
      expect([status, body.state]).toEqual([200, 'DRAINING']);
      await resize(8);
      const nodes = await eventually(
        async () => {
          const active = (await harness.fleet.nodes(clusterId)).filter(node => node.status === 'ACTIVE');
          return active.length === 6 && active;
        },
        { what: 'the new nodes, all but the two that it has' },
      );
      for (const { id } of nodes) expect(await harness.holders(id)).toEqual([harness.successorId]);
    }, 120_000);

    it('a draining conductor finishes tasks until the deadline, releases the others, and unregisters', async () => {
      finishes.open();
      await harness.until(finishes.resourceId, 'taskCompleted');
      expect(await harness.holders(finishes.resourceId)).toEqual([harness.victim.name]);
      expect((await harness.victim.gone())?.code).toBe(0);
      await harness.fleet.settled(clusterId, 8);
      expect(await harness.holders(outlasts.resourceId)).toEqual([harness.victim.name, harness.successorId]);
      const facts = (await harness.events(outlasts.resourceId)).map(event => [factOf(event), textIn(event, 'reason')]);
      expect(facts).toContainEqual(['taskReleased', 'draining']);
      const ring = (await harness.events()).filter(event => textIn(event, 'conductor') === harness.victim.name);
      expect(ring.filter(({ subject }) => subject === 'conductorRing').map(factOf)).toEqual([
        'conductorJoined',
        'conductorDraining',
        'conductorLeft',
      ]);
    }, 120_000);
  });
}

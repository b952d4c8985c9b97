import { eventually } from '@stave/testing';
import type { DistributedStack } from '../../distributed/stack.js';
import { factOf, textIn } from '../history.js';
import { Arena } from './arena.js';
import type { GateRule } from './gate-rule.js';

export function describeDrain(stack: () => DistributedStack): void {
  describe('a conductor that is drained while it builds nodes', () => {
    let arena: Arena;
    let clusterId: string;
    let finishes: GateRule;
    let outlasts: GateRule;

    beforeAll(async () => {
      arena = await Arena.open(stack(), 'drain');
      clusterId = await arena.cluster(0);
      const create = { operation: 'node.create', call: 'create', stop: { at: 'request' } } as const;
      finishes = arena.gate.rule(create);
      outlasts = arena.gate.rule(create);
      await resize(2);
      await arena.reached([finishes, outlasts]);
      await arena.addSuccessor();
    }, 60_000);

    afterAll(() => arena?.close());

    const resize = (count: number) =>
      arena.api.post(`/v1/clusters/${clusterId}/node-groups/w/actions/resize`, { count });

    it('claims no new task', async () => {
      const path = `/v1/conductors/${arena.victim.name}/actions/drain`;
      const { status, body } = await arena.api.post<{ state: string }>(path, { deadline: '4s' });
      expect([status, body.state]).toEqual([200, 'DRAINING']);
      await resize(8);
      const nodes = await eventually(
        async () => {
          const active = (await arena.fleet.nodes(clusterId)).filter(node => node.status === 'ACTIVE');
          return active.length === 6 && active;
        },
        { what: 'the new nodes, all but the two that it has' },
      );
      for (const { id } of nodes) expect(await arena.holders(id)).toEqual([arena.successorId]);
    }, 30_000);

    it('finishes the tasks that fit in the deadline, releases the others, and unregisters', async () => {
      finishes.open();
      await arena.until(finishes.resourceId, 'taskCompleted');
      expect(await arena.holders(finishes.resourceId)).toEqual([arena.victim.name]);
      expect((await arena.victim.gone())?.code).toBe(0);
      await arena.fleet.settled(clusterId, 8);
      expect(await arena.holders(outlasts.resourceId)).toEqual([arena.victim.name, arena.successorId]);
      const facts = (await arena.events(outlasts.resourceId)).map(event => [factOf(event), textIn(event, 'reason')]);
      expect(facts).toContainEqual(['taskReleased', 'draining']);
      const ring = (await arena.events()).filter(event => textIn(event, 'conductor') === arena.victim.name);
      expect(ring.filter(({ subject }) => subject === 'conductorRing').map(factOf)).toEqual([
        'conductorJoined',
        'conductorDraining',
        'conductorLeft',
      ]);
    }, 40_000);
  });
}

import { eventually, expectProblem, expectStatus } from '@stave/testing';
import { Fleet } from './fleet.js';
import type { StackOf } from './stack.js';
import type { NodeView } from './views.js';

/** Single nodes and what can be done with them. */
export function describeNodes(stack: StackOf): void {
  describe('nodes', () => {
    let fleet: Fleet;
    beforeAll(() => void (fleet = new Fleet(stack())));
    const act = (node: NodeView | undefined, action: string, body: object = {}) =>
      fleet.api.post<NodeView>(`/v1/nodes/${node?.id}/actions/${action}`, body);
    const read = (node: NodeView | undefined): Promise<NodeView> => fleet.api.read(`/v1/nodes/${node?.id}`);

    it('is cordoned and uncordoned', async () => {
      const [node] = await fleet.nodes((await fleet.cluster({}, [{ count: 1 }])).id);
      expect(await fleet.api.succeed(act(node, 'cordon'))).toMatchObject({ schedulable: false });
      await eventually(async () => !(await read(node)).schedulable);
      expect(await fleet.api.succeed(act(node, 'uncordon'))).toMatchObject({ schedulable: true });
      await eventually(async () => (await read(node)).schedulable);
    });

    it('is drained: cordoned, and whole', async () => {
      const [node] = await fleet.nodes((await fleet.cluster({}, [{ count: 1 }])).id);
      await fleet.api.succeed(act(node, 'drain', { deadline: '30s' }));
      expect(await read(node)).toMatchObject({ schedulable: false });
    });

    it('is replaced by a new one', async () => {
      const { id } = await fleet.cluster({}, [{ count: 3, zones: ['a', 'b', 'c'] }]);
      const [first, middle, last] = await fleet.nodes(id);
      await fleet.api.succeed(act(middle, 'replace'));
      const after = await fleet.settled(id, 3);
      const ids = after.map(node => node.id);
      expect(ids).toEqual(expect.arrayContaining([first?.id, last?.id]));
      expect(ids).not.toContain(middle?.id);
      expect(after.map(({ zone }) => zone).sort()).toEqual(['a', 'b', 'c']);
      expectProblem(await fleet.api.get(`/v1/nodes/${middle?.id}`), 404);
    });

    it('is rebuilt in its place', async () => {
      const { id } = await fleet.cluster({}, [{ count: 2 }]);
      const [before] = await fleet.nodes(id);
      await fleet.api.succeed(act(before, 'rebuild'));
      const after = await read(before);
      expect(after).toMatchObject({ id: before?.id, name: before?.name, ordinal: before?.ordinal, status: 'ACTIVE' });
      expect(after.infrastructureId).not.toBe(before?.infrastructureId);
    });

    it('is rebooted, softly and hard', async () => {
      const { id } = await fleet.cluster({}, [{ count: 1 }]);
      const [before] = await fleet.nodes(id);
      for (const type of ['soft', 'hard']) await fleet.api.succeed(act(before, 'reboot', { type }));
      expect(await read(before)).toMatchObject({ infrastructureId: before?.infrastructureId, status: 'ACTIVE' });
      expectProblem(await act(before, 'reboot', { type: 'gentle' }), 400, '/type');
    });

    it('goes from the middle and stays gone', async () => {
      const { id } = await fleet.cluster({}, [{ count: 3 }]);
      const [first, middle, last] = await fleet.nodes(id);
      const answer = expectStatus(await fleet.api.delete(`/v1/nodes/${middle?.id}`), 202);
      await fleet.api.succeed(answer);
      const left = await fleet.settled(id, 2);
      expect(left.map(node => node.id).sort()).toEqual([first?.id, last?.id].sort());
      expect(await fleet.group(id)).toMatchObject({ count: 2 });
      expectProblem(await fleet.api.get(`/v1/nodes/${middle?.id}`), 404);
      expect((await fleet.api.list(`/v1/nodes/${middle?.id}/events`)).length).toBeGreaterThan(0);
    });

    it('stays at the least count, unless that is lowered, too', async () => {
      const { id } = await fleet.cluster({}, [{ count: 2, minCount: 2 }]);
      const [node] = await fleet.nodes(id);
      expectProblem(await fleet.api.delete(`/v1/nodes/${node?.id}`), 409);
      await fleet.api.succeed(fleet.api.delete(`/v1/nodes/${node?.id}?lowerMin=true`));
      await fleet.settled(id, 1);
      expect(await fleet.group(id)).toMatchObject({ count: 1, minCount: 1 });
    });

    it('knows no other action', async () => {
      const [node] = await fleet.nodes((await fleet.cluster({}, [{ count: 1 }])).id);
      expectProblem(await act(node, 'dance'), 404);
    });
  });
}

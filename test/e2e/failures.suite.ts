import { eventually, expectProblem, expectStatus, operationIdOf, type OperationView } from '@stave/testing';
import { Fleet } from './fleet.js';
import { describeExhaustedRetries } from './exhausted-retries.suite.js';
import type { StackOf } from './stack.js';
import type { CloudEventView, ClusterView } from './views.js';

/** Tests failing infrastructure and cancelled operations. */
export function describeFailures(stack: StackOf): void {
  describeExhaustedRetries(stack);
  describe('failures', () => {
    let fleet: Fleet;
    beforeAll(() => void (fleet = new Fleet(stack())));
    const cancel = (id: string | undefined) => fleet.api.post(`/v1/operations/${id}/cancel`);

    it('a node that fails to build is retried', async () => {
      const answer = await fleet.ask({ options: { failFirst: 2 } });
      const { id } = await fleet.api.succeed(answer, 40_000);
      for (const node of await fleet.nodes(id)) expect(node).toMatchObject({ status: 'ACTIVE', attempts: 3 });
      const { steps } = await fleet.api.operation(operationIdOf(answer) ?? '');
      const builds = steps.filter(({ name }) => name.startsWith('node.create'));
      expect(builds.map(({ attempts }) => attempts)).toEqual([3, 3]);
      expect(builds.map(({ lastErrorCode }) => lastErrorCode)).toEqual(Array(2).fill('node-reported-failure'));
    });

    it.each([
      ['no-valid-host', /no-valid-host/, 1],
      ['zone-unknown', /zone-unknown/, Infinity],
    ])('a step shows the code %s as soon as an attempt has failed', async (code, message, times) => {
      const nodeFault = { code, times: Math.min(times, 1_000) };
      const answer = expectStatus(await fleet.ask({ options: { nodeFault } }, [{ count: 1 }]), 202);
      const { id } = answer.body;
      const operation = `/v1/operations/${operationIdOf(answer)}`;
      const failed = await eventually(
        async () => {
          const { steps } = await fleet.api.read<OperationView>(operation);
          return steps.find(({ lastErrorCode }) => lastErrorCode !== undefined);
        },
        { timeoutMs: 30_000, what: 'a step with a code' },
      );
      expect(failed).toMatchObject({ lastErrorCode: code, lastError: expect.stringMatching(message) });
      if (times === 1) await fleet.settled(id, 1);
      await fleet.api.succeed(fleet.api.delete(`/v1/clusters/${id}`));
    });

    it('a cluster is completed on infrastructure that fails and loses answers at random', async () => {
      const options = { errorRate: 0.1, lostReplies: 0.1, seed: 7 };
      const { id } = await fleet.api.succeed(fleet.ask({ options }, [{ count: 6 }]), 50_000);
      const nodes = await fleet.settled(id, 6);
      expect(new Set(nodes.map(({ infrastructureId }) => infrastructureId)).size).toBe(6);
    });

    it('a group replaces a node that cannot be built within its budget, and is DEGRADED with the reason afterwards', async () => {
      const bad = { name: 'bad', count: 1, options: { refuse: { 'node.create': 1 } } };
      const answer = expectStatus(await fleet.ask({}, [{ count: 1 }, bad]), 202);
      const { id } = answer.body;
      const why = /1 of 1 nodes failed: bad-3: .*refused/;
      const operation = await fleet.api.operation(operationIdOf(answer) ?? '');
      expect(operation).toMatchObject({ status: 'FAILED', error: { detail: expect.stringMatching(why) } });
      const degraded = { status: 'DEGRADED', statusReason: expect.stringMatching(why) };
      expect(await fleet.group(id, 'bad')).toMatchObject(degraded);
      expect(await fleet.api.read<ClusterView>(`/v1/clusters/${id}`)).toMatchObject(degraded);
      await fleet.api.succeed(fleet.api.delete(`/v1/clusters/${id}`));
    });

    it('a group replaces a node that the infrastructure lost, and shows the reason meanwhile', async () => {
      const { id } = await fleet.cluster({ options: { lose: { nodes: 1, afterMs: 1_500 } } }, [{ count: 2 }]);
      const before = (await fleet.nodes(id)).map(node => node.id);
      const degraded = await eventually(
        async () => {
          const group = await fleet.group(id);
          return group.status === 'DEGRADED' ? group : undefined;
        },
        { timeoutMs: 30_000, what: 'the group is DEGRADED' },
      );
      expect(degraded.statusReason).toMatch(/infrastructure/);
      await eventually(async () => (await fleet.group(id)).status === 'ACTIVE', {
        timeoutMs: 60_000,
        what: 'the node group to be ACTIVE',
      });
      const after = (await fleet.settled(id, 2)).map(node => node.id);
      const [lost] = before.filter(node => !after.includes(node));
      expect(before.filter(node => after.includes(node))).toHaveLength(1);
      const types = (await fleet.api.list<CloudEventView>(`/v1/nodes/${lost}/events`)).map(({ type }) => type);
      expect(types.join()).toMatch(/unreachable/i);
    });

    it('a cancelled creation removes what it was creating', async () => {
      const answer = await fleet.ask({ options: { latencyMs: 3_000 } }, [{ count: 3 }]);
      const id = operationIdOf(answer);
      expectStatus(await cancel(id), 202);
      expect((await fleet.api.operation(id ?? '')).status).toBe('CANCELLED');
      const gone = async (): Promise<boolean> => (await fleet.api.get(`/v1/clusters/${answer.body.id}`)).status === 404;
      await eventually(gone, { timeoutMs: 60_000, what: 'the cluster is gone' });
      expect(await fleet.api.list(`/v1/nodes?clusterId=${answer.body.id}`)).toEqual([]);
      expectProblem(await cancel(id), 409);
    });

    it('a cancelled growth sets the group back to its earlier size', async () => {
      const { id } = await fleet.cluster({}, [{ count: 1, options: { latencyMs: 3_000 } }]);
      const path = `/v1/clusters/${id}/node-groups/w/actions/resize`;
      const answer = expectStatus(await fleet.api.post(path, { count: 4 }), 202);
      expectStatus(await cancel(operationIdOf(answer)), 202);
      expect((await fleet.api.operation(operationIdOf(answer) ?? '')).status).toBe('CANCELLED');
      await fleet.settled(id, 1);
      expect(await fleet.group(id)).toMatchObject({ count: 1 });
    });

    it('an operation that has ended cannot be cancelled', async () => {
      const answer = await fleet.ask({}, [{ count: 0 }]);
      await fleet.api.succeed(answer);
      expectProblem(await cancel(operationIdOf(answer)), 409);
      expectProblem(await cancel('c-01a1feaf-0000-7000-8000-000000000000'), 404);
    });
  });
}

import { eventually, expectProblem, expectStatus, uniqueName } from '@stave/testing';
import { Explained, remedyFor, type ExplanationView } from './explained.js';
import { Fleet } from './fleet.js';
import type { StackOf } from './stack.js';
import type { ContainerSetView } from './views.js';

interface Outlook {
  readonly explanation?: ExplanationView;
  readonly placements?: readonly { readonly name: string; readonly nodeId: string | null }[];
}

const half = { cpus: 0.5, memoryMb: 200 };
const most = { cpus: 0.8, memoryMb: 400 };
const tiny = { cpus: 0.1, memoryMb: 20 };

/** Tests explanations: each remedy is sent to the API, and the container must be placed. */
export function describeExplain(stack: StackOf): void {
  describe('explanations', () => {
    let fleet: Fleet;
    let explained: Explained;
    beforeAll(() => {
      fleet = new Fleet(stack());
      explained = new Explained(fleet);
    });

    it('a cordoned node is uncordoned', async () => {
      const { id: cluster } = await fleet.cluster({}, [{ count: 1 }]);
      const [node] = await fleet.nodes(cluster);
      await fleet.api.succeed(fleet.api.post(`/v1/nodes/${node?.id}/actions/cordon`));
      const { id, why } = await explained.waiting({ profile: await explained.profile(cluster, half) });
      expect(why.refusals).toMatchObject([{ code: 'NODE_NOT_SCHEDULABLE', count: 1, nodes: [node?.id] }]);
      expect(why).toMatchObject({ position: 1, growth: [{ code: 'DISABLED' }] });
      const one = await fleet.api.read<ExplanationView>(`/v1/containers/${id}/explain?node=${node?.name}`);
      expect(one).toMatchObject({ nodes: { total: 1, passing: 0 }, refusals: [{ code: 'NODE_NOT_SCHEDULABLE' }] });
      await explained.cure(id, why, remedyFor('NODE_NOT_SCHEDULABLE', 1));
      expect(await explained.explain(`/v1/containers/${id}`)).toMatchObject({
        status: 'ACTIVE',
        position: null,
        remedies: [],
      });
    });

    it('a zone, a region, a label and a taint are no longer demanded', async () => {
      const zones = [{ name: 'a', region: 'eu' }];
      const taints = [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }];
      const { id: cluster } = await fleet.cluster({}, [
        { count: 1, zones },
        { name: 'gpu', count: 1, zones: [{ name: 'g', region: 'eu' }], taints, labels: { gpu: 'yes' } },
      ]);
      const light = await explained.profile(cluster, tiny);
      const demands: readonly (readonly [code: string, body: object])[] = [
        ['ZONE_MISMATCH', { zone: 'nowhere', region: 'eu' }],
        ['REGION_MISMATCH', { region: 'us' }],
        ['LABELS_MISMATCH', { nodeSelector: { disk: 'ssd' } }],
        ['TAINT_NOT_TOLERATED', { zone: 'g', nodeSelector: { gpu: 'yes' } }],
      ];
      for (const [code, body] of demands) {
        const { id, why } = await explained.waiting({ profile: light, ...body });
        await explained.cure(id, why, remedyFor(code, 2));
      }
    });

    it('a host port that is taken is exchanged for a free one', async () => {
      const { id: cluster } = await fleet.cluster({}, [{ count: 1 }]);
      const web = await explained.profile(cluster, tiny, { ports: [{ containerPort: 80, hostPort: 8080 }] });
      await explained.run({ profile: web });
      const { id, why } = await explained.waiting({ profile: web });
      await explained.cure(id, why, remedyFor('HOST_PORT_TAKEN', 2));
      expect(JSON.stringify(await explained.read(id))).toMatch(/"hostPort":3[0-9]{4}/);
    });

    it('a node group gets one more node, and another maximum where it needs one', async () => {
      const { id: cluster } = await fleet.cluster({}, [{ count: 1, maxCount: 1 }]);
      const big = await explained.profile(cluster, most);
      await explained.run({ profile: big });
      const { id, why } = await explained.waiting({ profile: big });
      const grown = why.remedies.find(({ sentence }) => /^Raise maxCount .* and resize/.test(sentence));
      if (!grown) throw new Error(JSON.stringify(why.remedies));
      expect(grown).toMatchObject({ cost: 5, actions: [{ method: 'PATCH' }, { method: 'POST' }] });
      await explained.carryOut(grown);
      await explained.isActive(id);
      await fleet.api.succeed(fleet.api.patch(`/v1/clusters/${cluster}/node-groups/w`, { maxCount: 9 }));
      const next = await explained.waiting({ profile: big });
      await explained.cure(next.id, next.why, remedyFor('INSUFFICIENT_ROOM', 3));
    });

    it('a container asks for less', async () => {
      const { id: cluster } = await fleet.cluster({}, [{ count: 1 }]);
      const { id, why } = await explained.waiting({
        profile: await explained.profile(cluster, { cpus: 2, memoryMb: 100 }),
      });
      const remedy = why.remedies.find(({ sentence }) => sentence.startsWith('Ask for 1 CPUs'));
      expect(remedy).toMatchObject({ cost: 4 });
      if (remedy) await explained.carryOut(remedy);
      await explained.isActive(id);
      expect(await explained.read(id)).toMatchObject({ resources: { cpus: 1, memoryMb: 100 } });
    });

    it('a container is moved to another node', async () => {
      const { id: cluster } = await fleet.cluster({}, [
        { count: 1, maxCount: 1 },
        { name: 'x', count: 1, maxCount: 1 },
      ]);
      const [light, big] = [
        await explained.profile(cluster, { cpus: 0.3, memoryMb: 100 }),
        await explained.profile(cluster, most),
      ];
      const both = [await explained.run({ profile: light }), await explained.run({ profile: light })];
      expect(new Set(both.map(({ nodeId }) => nodeId)).size).toBe(2);
      const { id, why } = await explained.waiting({ profile: big });
      const moved = why.remedies.find(({ actions }) => actions[0]?.path.endsWith('/actions/move'));
      expect(moved).toMatchObject({ cost: 5, places: 2 });
      if (moved) await explained.carryOut(moved);
      await explained.isActive(id);
      for (const one of both) await explained.isActive(one.id);
    });

    it('a member of a set is replaced on another node', async () => {
      const { id: cluster } = await fleet.cluster({}, [{ count: 2, maxCount: 2 }]);
      const [light, big] = [
        await explained.profile(cluster, { cpus: 0.3, memoryMb: 100 }),
        await explained.profile(cluster, most),
      ];
      const body = { name: uniqueName('s'), profile: light, desired: 2 };
      const set = await fleet.api.succeed(fleet.api.post<ContainerSetView>('/v1/container-sets', body));
      const { id, why } = await explained.waiting({ profile: big });
      const moved = why.remedies.find(({ actions }) => actions[0]?.path.endsWith('/actions/move'));
      expect(moved).toMatchObject({ cost: 5, places: 2 });
      if (moved) await explained.carryOut(moved);
      await explained.isActive(id);
      const counts = async () => (await fleet.api.read<ContainerSetView>(`/v1/container-sets/${set.id}`)).counts;
      await eventually(async () => (await counts()).available === 2, { what: 'the set is complete again' });
    });

    it('the members of a set demand less, by its overrides or by its profile', async () => {
      const { id: cluster } = await fleet.cluster({}, [{ count: 1, zones: ['a'], labels: { disk: 'hdd' } }]);
      const zoned = await explained.profile(cluster, tiny, { zone: 'b' });
      const free = await explained.profile(cluster, tiny);
      const cases = [
        { code: 'ZONE_MISMATCH', body: { profile: zoned }, actions: 2 },
        { code: 'ZONE_MISMATCH', body: { profile: free, overrides: { zone: 'b' } }, actions: 1 },
        { code: 'LABELS_MISMATCH', body: { profile: free, overrides: { nodeSelector: { disk: 'ssd' } } }, actions: 1 },
      ];
      for (const { code, body, actions } of cases) {
        const path = '/v1/container-sets';
        const named = { name: uniqueName('s'), desired: 1, ...body };
        const { id } = expectStatus(await fleet.api.post<ContainerSetView>(path, named), 202).body;
        const why = await eventually(
          async () => {
            const found = await explained.explain(`${path}/${id}`);
            return found.refusals.some(refusal => refusal.code === code) && found.position === 1 ? found : undefined;
          },
          { what: 'a member waits' },
        );
        const remedy = why.remedies.find(({ codes }) => `${codes}` === code);
        if (!remedy) throw new Error(JSON.stringify(why));
        expect(remedy).toMatchObject({ cost: 2 });
        expect(remedy.actions).toHaveLength(actions);
        await explained.carryOut(remedy);
        const isComplete = async () => (await fleet.api.read<ContainerSetView>(`${path}/${id}`)).counts.available === 1;
        await eventually(isComplete, { timeoutMs: 40_000, what: 'the set is complete' });
      }
    });

    it('the data of a lost volume is discarded as the last resort', async () => {
      const options = { volumeDrivers: { local: 'node' } };
      const { id: cluster } = await fleet.cluster({ options }, [{ count: 2 }]);
      const db = { profile: await explained.profile(cluster, half), volumes: [{ name: 'gone', mountPath: '/data' }] };
      const first = await explained.run(db);
      await fleet.api.succeed(fleet.api.delete(`/v1/nodes/${first.nodeId}?discardVolumes=true`));
      const rebind = await eventually(
        async () => {
          const found = await explained.explain(`/v1/containers/${first.id}`);
          const waits = found.refusals.some(({ code }) => code === 'VOLUME_NODE_LOST') && found.nodes.passing === 0;
          return waits ? found.remedies.find(({ cost }) => cost === 50) : undefined;
        },
        { what: 'the container waits for its volume, and nothing uses that any more' },
      );
      await explained.carryOut(rebind);
      await explained.isActive(first.id);
    });

    it('what waits longer is placed first, also in remedies', async () => {
      const { id: cluster } = await fleet.cluster({}, [
        { count: 1, maxCount: 1 },
        { name: 'x', count: 1, maxCount: 1 },
      ]);
      const big = await explained.profile(cluster, most);
      for (const node of await fleet.nodes(cluster))
        await fleet.api.succeed(fleet.api.post(`/v1/nodes/${node.id}/actions/cordon`));
      await explained.waiting({ profile: big });
      const { id, why } = await explained.waiting({ profile: big });
      expect(why.position).toBe(2);
      const both = why.remedies.find(({ cost, actions }) => cost === 2 && actions.length === 2);
      if (!both) throw new Error(JSON.stringify(why.remedies));
      await explained.carryOut(both);
      await explained.isActive(id);
    });

    it('a dry run of a creation explains what does not exist, and names the nodes of new members', async () => {
      const { id: cluster } = await fleet.cluster({}, [{ count: 1, zones: ['a'] }]);
      const [node] = await fleet.nodes(cluster);
      const light = await explained.profile(cluster, tiny);
      const plan = (path: string, body: object) => fleet.api.post<Outlook>(`${path}?dryRun=true`, body);
      const waits = expectStatus(await plan('/v1/containers', { profile: light, zone: 'b' }), 200).body.explanation;
      expect(waits).toMatchObject({ status: null, position: null, refusals: [{ code: 'ZONE_MISMATCH', count: 1 }] });
      const fits = expectStatus(await plan('/v1/containers', { profile: light }), 200).body.explanation;
      expect(fits).toMatchObject({ nodes: { total: 1, passing: 1 }, refusals: [] });
      const set = { name: uniqueName('s'), profile: await explained.profile(cluster, half), desired: 3 };
      const { placements, explanation } = expectStatus(await plan('/v1/container-sets', set), 200).body;
      expect(placements?.map(({ nodeId }) => nodeId)).toEqual([node?.id, node?.id, null]);
      expect(explanation).toMatchObject({ nodes: { passing: 1 } });
    });

    it('a container that has a node keeps its demands, and can be moved', async () => {
      const { id: cluster } = await fleet.cluster({}, [{ count: 2 }]);
      const made = await explained.run({ profile: await explained.profile(cluster, tiny) });
      const path = `/v1/containers/${made.id}`;
      const refused = await fleet.api.patch(path, { zone: 'b', tolerations: [{ key: 'gpu' }] });
      expectProblem(refused, 422, '/zone', '/tolerations');
      await fleet.api.succeed(fleet.api.post(`${path}/actions/move`));
      const moved = await explained.read(made.id);
      expect(moved.status).toBe('ACTIVE');
      expect(moved.nodeId).not.toBe(made.nodeId);
      const bound = await explained.run({ profile: await explained.profile(cluster, tiny), node: moved.nodeId });
      expect(expectProblem(await fleet.api.post(`/v1/containers/${bound.id}/actions/move`), 409).code).toBe(
        'host-node',
      );
    });
  });
}

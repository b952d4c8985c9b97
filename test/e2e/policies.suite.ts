import { eventually, expectProblem, expectStatus, uniqueName } from '@stave/testing';
import { Fleet } from './fleet.js';
import type { StackOf } from './stack.js';
import type { ContainerView, ResourceView } from './views.js';

interface PolicyView extends ResourceView {
  readonly properties: Readonly<Record<string, unknown>>;
}

interface DesiredView extends ResourceView {
  readonly desired: number;
}

interface CountView extends ResourceView {
  readonly count: number;
}

interface EventView {
  readonly id: string;
  readonly type: string;
  readonly data: object;
}

interface AttachmentView extends ResourceView {
  readonly targetType: string;
  readonly targetId: string;
  readonly enabled: boolean;
  readonly priority: number;
}

interface Effective {
  readonly value: unknown;
  readonly source: { readonly policy: string; readonly revision: number } | null;
}

interface PoliciesView {
  readonly items: readonly AttachmentView[];
  readonly effective: Readonly<Record<string, { readonly properties: Readonly<Record<string, Effective>> }>>;
}

/** Tests policies, what they are attached to, and what they result in. */
export function describePolicies(stack: StackOf): void {
  describe('policies', () => {
    let fleet: Fleet;
    beforeAll(() => void (fleet = new Fleet(stack())));

    const placement = (properties: object, name = uniqueName('placement')) =>
      fleet.api.post<PolicyView>('/v1/policies', { name, type: 'placement', properties });
    const created = async (properties: object): Promise<PolicyView> =>
      expectStatus(await placement(properties), 201).body;
    const attach = async (cluster: string, policy: string, body: object = {}): Promise<AttachmentView> =>
      expectStatus(await fleet.api.put<AttachmentView>(`/v1/clusters/${cluster}/policies/${policy}`, body), 200).body;
    const policiesOf = (cluster: string): Promise<PoliciesView> => fleet.api.read(`/v1/clusters/${cluster}/policies`);
    const onlyMemory = { scorers: { leastMemory: 1 } };

    it('a policy is created, changed with a revision, listed by type and deleted', async () => {
      const policy = await created(onlyMemory);
      expect(policy).toMatchObject({ type: 'placement', version: '1.0', properties: onlyMemory, revision: 1 });
      const path = `/v1/policies/${policy.name}`;
      const properties = { scorers: { spread: 2, leastMemory: null } };
      const changed = expectStatus(await fleet.api.patch<PolicyView>(path, { properties }, { ifMatch: 1 }), 200).body;
      expect(changed).toMatchObject({ properties: { scorers: { spread: 2 } }, revision: 2 });
      expectProblem(await fleet.api.patch(path, { properties: onlyMemory }, { ifMatch: 1 }), 412);
      const listed = await fleet.api.list<PolicyView>(`/v1/policies?type=placement&name=${policy.name}`);
      expect(listed.map(({ id }) => id)).toEqual([policy.id]);
      expect((await fleet.api.read<PolicyView>(`${path}?at=1`)).properties).toEqual(onlyMemory);
      expectProblem(await placement(onlyMemory, policy.name), 409);
      expectStatus(await fleet.api.delete(path), 204);
      expectProblem(await fleet.api.get(path), 404);
      expectStatus(await placement(onlyMemory, policy.name), 201);
    });

    it('a request names every member that is unknown, wrong, missing, or has no effect', async () => {
      const create = (body: object) => fleet.api.post('/v1/policies', body);
      expectProblem(await create({ type: 'speed', properties: {} }), 400, '/type');
      const wrong = { type: 'placement', properties: { scorers: { leastCpu: 101, best: 1 }, strict: 1 } };
      expectProblem(
        await create(wrong),
        400,
        '/properties/scorers/leastCpu',
        '/properties/scorers/best',
        '/properties/strict',
      );
      expectProblem(
        await create({ type: 'scaling', properties: {} }),
        422,
        '/properties/direction',
        '/properties/adjustment',
      );
      const policy = await created(onlyMemory);
      const patch = (body: object) => fleet.api.patch(`/v1/policies/${policy.id}`, body);
      expectProblem(await patch({ type: 'batch' }), 400, '/type');
      expectProblem(await patch({ properties: { scorers: { leastCpu: -1 }, rules: [] } }), 400, '/properties/rules');
    });

    it('a policy is attached, disabled and detached, and shows its targets', async () => {
      const { id: cluster } = await fleet.cluster({}, []);
      const policy = await created(onlyMemory);
      expect(await attach(cluster, policy.name)).toMatchObject({ enabled: true, priority: 100, targetId: cluster });
      expect(await attach(cluster, policy.id, { enabled: false, priority: 7 })).toMatchObject({
        revision: 2,
        priority: 7,
      });
      const shown = await fleet.api.list<AttachmentView>(`/v1/policies/${policy.id}/attachments`);
      expect(shown).toMatchObject([{ targetType: 'cluster', targetId: cluster, enabled: false, revision: 2 }]);
      expect((await policiesOf(cluster)).effective).toEqual({});
      const path = `/v1/clusters/${cluster}/policies/${policy.id}`;
      expectProblem(await fleet.api.put(path, {}, { ifMatch: 1 }), 412);
      expectStatus(await fleet.api.delete(path), 204);
      expectProblem(await fleet.api.delete(path), 404);
      expect((await policiesOf(cluster)).items).toEqual([]);
    });

    it('the targets of a policy are read in pages, with cursors of this list only', async () => {
      const clusters = [await fleet.cluster({}, []), await fleet.cluster({}, [])].map(({ id }) => id).sort();
      const [policy, other] = [await created(onlyMemory), await created(onlyMemory)];
      for (const cluster of clusters) await attach(cluster, policy.id);
      const page = (of: string, query: string) =>
        fleet.api.get<{ items: readonly AttachmentView[]; nextCursor: string }>(
          `/v1/policies/${of}/attachments?${query}`,
        );
      const first = expectStatus(await page(policy.id, 'limit=1'), 200).body;
      const rest = expectStatus(await page(policy.id, `cursor=${first.nextCursor}`), 200).body;
      expect([...first.items, ...rest.items].map(({ targetId }) => targetId)).toEqual(clusters);
      expect(rest.nextCursor).toBeNull();
      expectProblem(await page(other.id, `cursor=${first.nextCursor}`), 400, '?cursor');
      expectProblem(await page(policy.id, `cursor=${clusters[0]}`), 400, '?cursor');
    });

    it('the effective properties name the policy that each comes from', async () => {
      const { id: cluster } = await fleet.cluster({}, []);
      const [low, high] = [await created(onlyMemory), await created({ scorers: { spread: 1 } })];
      await attach(cluster, low.id, { priority: 1 });
      await attach(cluster, high.id, { priority: 2 });
      const { items, effective } = await policiesOf(cluster);
      expect(items.map(({ id }) => id)).toEqual([low.id, high.id]);
      const { scorers, whenUnknown } = effective['placement']?.properties ?? {};
      expect(scorers).toMatchObject({ value: { spread: 1 }, source: { policy: high.name, revision: 1 } });
      expect(whenUnknown).toEqual({ value: 'allow', source: null });
    });

    it('a policy that is attached is deleted only together with its attachments', async () => {
      const { id: cluster } = await fleet.cluster({}, []);
      const policy = await created(onlyMemory);
      await attach(cluster, policy.id);
      const refused = expectProblem(await fleet.api.delete(`/v1/policies/${policy.id}`), 409);
      expect(refused).toMatchObject({ code: 'attached', targets: [{ type: 'cluster', id: cluster }] });
      expectStatus(await fleet.api.delete(`/v1/policies/${policy.id}?detach=true`), 204);
      expect(await policiesOf(cluster)).toEqual({ items: [], effective: {} });
    });

    it('a policy of the wrong type for its target is refused', async () => {
      const { id: cluster } = await fleet.cluster();
      const group = await fleet.group(cluster);
      const policy = await created(onlyMemory);
      const refused = await fleet.api.put(`/v1/node-groups/${group.id}/policies/${policy.id}`, {});
      expect(expectProblem(refused, 422).code).toBe('wrong-target');
      expectProblem(await fleet.api.put(`/v1/clusters/${cluster}/policies/none-such`, {}), 404);
      expectProblem(await fleet.api.put(`/v1/clusters/none-such/policies/${policy.id}`, {}), 404);
    });

    it('the deletion of a cluster ends the attachments to it', async () => {
      const { id: cluster } = await fleet.cluster({}, []);
      const policy = await created(onlyMemory);
      await attach(cluster, policy.id);
      await fleet.api.succeed(fleet.api.delete(`/v1/clusters/${cluster}`));
      const attachments = (): Promise<readonly unknown[]> => fleet.api.list(`/v1/policies/${policy.id}/attachments`);
      await eventually(async () => (await attachments()).length === 0, { what: 'the attachment has ended' });
      expectStatus(await fleet.api.delete(`/v1/policies/${policy.id}`), 204);
    });

    it('a repeat with the same idempotency key gets the first answer, although the policy is deleted since', async () => {
      const { id: cluster } = await fleet.cluster({}, []);
      const policy = await created(onlyMemory);
      const path = `/v1/clusters/${cluster}/policies/${policy.name}`;
      const put = () => fleet.api.put<AttachmentView>(path, { priority: 3 }, { idempotencyKey: `attach-${policy.id}` });
      const first = expectStatus(await put(), 200).body;
      expectStatus(await fleet.api.delete(`/v1/policies/${policy.id}?detach=true`), 204);
      expect(expectStatus(await put(), 200).body).toEqual(first);
      expect((await policiesOf(cluster)).items).toEqual([]);
    });

    it('a container set scales by its policy, within its cooldown and bounds', async () => {
      const { id: cluster } = await fleet.cluster({}, [{ count: 1 }]);
      const profile = {
        name: uniqueName('p'),
        image: 'web:1',
        hostCluster: cluster,
        resources: { cpus: 0.1, memoryMb: 32 },
      };
      expectStatus(await fleet.api.post('/v1/container-profiles', profile), 201);
      const body = { profile: profile.name, desired: 1, max: 4 };
      const set = await fleet.api.succeed(fleet.api.post<ResourceView>('/v1/container-sets', body));
      const path = `/v1/container-sets/${set.id}`;
      const scale = (direction: string) => fleet.api.post<DesiredView>(`${path}/actions/scale`, { direction });
      expect(expectProblem(await scale('out'), 409).code).toBe('no-policy');
      const adjustment = { type: 'percentage', number: 50, minStep: 2 };
      const properties = { direction: 'out', adjustment, cooldownSeconds: 600 };
      const policy = { name: uniqueName('out'), type: 'scaling', properties };
      expectStatus(await fleet.api.post('/v1/policies', policy), 201);
      expectStatus(await fleet.api.put(`${path}/policies/${policy.name}`, {}), 200);
      expect(await fleet.api.succeed(scale('out'))).toMatchObject({ desired: 3 });
      const refused = await scale('out');
      expect(expectProblem(refused, 409).code).toBe('cooldown');
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expectStatus(await fleet.api.put(`${path}/policies/${policy.name}`, { enabled: false }), 200);
      expect(expectProblem(await scale('out'), 409).code).toBe('no-policy');
      expect(expectProblem(await scale('in'), 409).code).toBe('no-policy');
    });

    it('a node group scales by its policy, within its cooldown and bounds', async () => {
      const { id: cluster } = await fleet.cluster({}, [{ count: 1, maxCount: 4 }]);
      const group = await fleet.group(cluster);
      const path = `/v1/node-groups/${group.id}`;
      const scale = (direction: string) => fleet.api.post<CountView>(`${path}/actions/scale`, { direction });
      expect(expectProblem(await scale('out'), 409).code).toBe('no-policy');
      const adjustment = { type: 'percentage', number: 50, minStep: 2 };
      const properties = { direction: 'out', adjustment, cooldownSeconds: 600 };
      const policy = { name: uniqueName('nodes-out'), type: 'scaling', properties };
      const { id: policyId } = expectStatus(await fleet.api.post<ResourceView>('/v1/policies', policy), 201).body;
      expectStatus(await fleet.api.put(`${path}/policies/${policy.name}`, {}), 200);
      expect(await fleet.api.succeed(scale('out'))).toMatchObject({ count: 3 });
      const events = await fleet.api.list<EventView>(`${path}/events`);
      expect(events.find(e => e.type.includes('resized'))?.data).toMatchObject({ policyId, policyRevision: 1 });
      const refused = await scale('out');
      expect(expectProblem(refused, 409).code).toBe('cooldown');
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expectStatus(await fleet.api.put(`${path}/policies/${policy.name}`, { enabled: false }), 200);
      expect(expectProblem(await scale('out'), 409).code).toBe('no-policy');
      expect(expectProblem(await scale('in'), 409).code).toBe('no-policy');
      expect(await fleet.settled(cluster, 3)).toHaveLength(3);
    });

    it('the next placement follows the policy, and names it with its revision', async () => {
      const { id: cluster } = await fleet.cluster({}, [{ count: 2 }]);
      const policy = await created({ scorers: { leastMemory: 1 } });
      await attach(cluster, policy.id);
      const profile = {
        name: uniqueName('p'),
        image: 'web:1',
        hostCluster: cluster,
        resources: { cpus: 0.1, memoryMb: 64 },
      };
      expectStatus(await fleet.api.post('/v1/container-profiles', profile), 201);
      const made = await fleet.api.succeed(fleet.api.post<ContainerView>('/v1/containers', { profile: profile.name }));
      const { placement: decision } = await fleet.api.read<ContainerView>(`/v1/containers/${made.id}`);
      expect(decision).toMatchObject({ policy: `${policy.name}@1` });
    });
  });
}

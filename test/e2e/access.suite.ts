import { randomUUID } from 'node:crypto';
import { eventually, expectProblem, expectStatus, uniqueName, type StaveClient } from '@stave/testing';
import { Fleet } from './fleet.js';
import type { StackOf } from './stack.js';
import type { ClusterView, ResourceView } from './views.js';

interface KeyView {
  readonly id: string;
  readonly key?: string;
  readonly prefix: string | null;
  readonly lastUsedAt: string | null;
}

export function describeAccess(stack: StackOf): void {
  describe('access', () => {
    let fleet: Fleet;
    beforeAll(() => void (fleet = new Fleet(stack())));

    async function project(): Promise<string> {
      const answer = await fleet.api.post<ResourceView>('/v1/projects', { name: uniqueName('team') });
      return expectStatus(answer, 201).body.id;
    }
    async function key(
      projectId: string,
      role: string,
    ): Promise<{ readonly id: string; readonly client: StaveClient }> {
      const body = { project: projectId, role };
      const answer = await fleet.api.post<{ id: string; key: string }>('/v1/api-keys', body);
      return { id: expectStatus(answer, 201).body.id, client: fleet.api.as(answer.body.key) };
    }

    it('the API hides the resources of another project from every verb', async () => {
      const { client: other } = await key(await project(), 'admin');
      const { id } = await fleet.cluster({}, [{ count: 1 }]);
      const [node] = await fleet.nodes(id);
      const group = await fleet.group(id);
      const paths = [`/v1/clusters/${id}`, `/v1/node-groups/${group.id}`, `/v1/nodes/${node?.id}`];
      for (const path of paths) {
        expectProblem(await other.get(path), 404);
        expectProblem(await other.get(`${path}/events`), 404);
        expectProblem(await other.delete(path), 404);
      }
      expectProblem(await other.patch(`/v1/clusters/${id}`, { description: 'mine' }), 404);
      expectProblem(await other.patch(`/v1/node-groups/${group.id}`, { labels: { a: 'b' } }), 404);
      expectProblem(await other.post(`/v1/node-groups/${group.id}/actions/resize`, { count: 0 }), 404);
      expectProblem(await other.post(`/v1/nodes/${node?.id}/actions/reboot`, {}), 404);
      expectProblem(await other.get(`/v1/clusters/${id}/nodes`), 404);
      expectProblem(await other.get(`/v1/clusters/${id}/credentials`), 404);
      expectProblem(await other.get(`/v1/rings/lookup?resource=${id}`), 404);
      for (const list of ['clusters', 'nodes', 'node-groups', 'operations', 'events?since=start'])
        expect(JSON.stringify(await other.read(`/v1/${list}`))).not.toContain(id);
      expect(await fleet.settled(id, 1)).toHaveLength(1);
    });

    it('an administrator of a project has no access to other projects', async () => {
      const [mine, victim] = [await project(), await project()];
      const { client: admin } = await key(mine, 'admin');
      const { id: foreign, client: theirs } = await key(victim, 'member');
      expectProblem(await admin.post('/v1/api-keys', { project: victim, role: 'admin' }), 422);
      expectProblem(await admin.delete(`/v1/api-keys/${foreign}`), 404);
      const { keyId } = await fleet.api.read<{ keyId: string }>('/v1/whoami');
      expectProblem(await admin.delete(`/v1/api-keys/${keyId}`), 404);
      expectProblem(await fleet.api.delete(`/v1/api-keys/${keyId}`), 409);
      expect(await theirs.read('/v1/whoami')).toMatchObject({ keyId: foreign });
      expectStatus(await admin.post('/v1/api-keys', { project: mine, role: 'member' }), 201);
    });

    it('only administrators of a cluster accept the loss of its nodes', async () => {
      const team = await project();
      const [{ client: member }, { client: admin }] = [await key(team, 'member'), await key(team, 'admin')];
      const { id } = await fleet.cluster({}, [{ count: 1 }]);
      const path = `/v1/clusters/${id}/actions/accept-loss`;
      expectProblem(await member.post(path), 403);
      expectProblem(await admin.post(path), 404);
      expectProblem(await fleet.api.post(`/v1/clusters/${randomUUID()}/actions/accept-loss`), 404);
      expect(expectProblem(await fleet.api.post(path), 409).code).toBe('no-loss-suspected');
    });

    it('two projects may use the same name', async () => {
      const name = uniqueName('same');
      const body = { name, driver: 'fake', nodeGroups: [] };
      const clients = await Promise.all([1, 2].map(async () => (await key(await project(), 'member')).client));
      const ids = await Promise.all(
        clients.map(async client => (await client.succeed(client.post<ClusterView>('/v1/clusters', body))).id),
      );
      for (const [at, client] of clients.entries())
        expect((await client.read<ClusterView>(`/v1/clusters/${name}`)).id).toBe(ids[at]);
    });

    it('a key with the role reader can read but not change resources', async () => {
      const owner = await project();
      const { client: reader } = await key(owner, 'reader');
      const { client: member } = await key(owner, 'member');
      const cluster = await member.succeed(
        member.post<ClusterView>('/v1/clusters', { driver: 'fake', nodeGroups: [] }),
      );
      expect((await reader.read<ClusterView>(`/v1/clusters/${cluster.id}`)).projectId).toBe(owner);
      expectProblem(await reader.post('/v1/clusters', { driver: 'fake' }), 403);
      expectProblem(await reader.patch(`/v1/clusters/${cluster.id}`, { description: 'x' }), 403);
      expectProblem(await reader.delete(`/v1/clusters/${cluster.id}`), 403);
      expectProblem(await member.post('/v1/projects', { name: uniqueName('no') }), 403);
      expectProblem(await member.post('/v1/api-keys', { project: owner, role: 'admin' }), 403);
    });

    it('the API refuses requests with a revoked key', async () => {
      const { id, client } = await key(await project(), 'member');
      expect(await client.read('/v1/whoami')).toMatchObject({ keyId: id, role: 'member' });
      expectProblem(await fleet.api.delete(`/v1/api-keys/${id}`, { ifMatch: 2 }), 412);
      expect([200, 202, 204]).toContain((await fleet.api.delete(`/v1/api-keys/${id}`, { ifMatch: 1 })).status);
      await eventually(async () => (await client.get('/v1/whoami')).status === 401, { what: 'the key is refused' });
    });

    it('a key expires, is replaced by another secret, and shows when it was used', async () => {
      const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
      const { api } = fleet;
      const body = { project: await project(), role: 'reader', name: 'ci', expiresAt };
      const made = expectStatus(await api.post<KeyView>('/v1/api-keys', body), 201).body;
      expect(made).toMatchObject({ name: 'ci', expiresAt, lastUsedAt: null, prefix: made.key?.slice(0, 16) });
      const first = api.as(made.key ?? '');
      const identity = await first.read('/v1/whoami');
      expect(identity).toMatchObject({ subject: made.id, method: 'api-key', expiresAt, operator: false });
      const path = `/v1/api-keys/${made.id}`;
      const rotated = expectStatus(await api.post<KeyView>(`${path}/actions/rotate`, {}), 200).body;
      const second = api.as(rotated.key ?? '');
      expect(await second.read('/v1/whoami')).toMatchObject({ subject: made.id });
      await eventually(async () => (await first.get('/v1/whoami')).status === 401, { what: 'the former secret ends' });
      await eventually(async () => (await api.read<KeyView>(path)).lastUsedAt !== null, { what: 'the use is shown' });
      expect((await api.get(path)).text).not.toContain(rotated.key);
      const past = { expiresAt: '2020-01-01T00:00:00Z' };
      expectProblem(await api.post(`${path}/actions/rotate`, past), 422);
      expectProblem(await api.post('/v1/api-keys', { ...body, ...past }), 422);
    });

    it('a disabled project does not change, and only its administrators read it, until it is enabled', async () => {
      const { api } = fleet;
      const name = uniqueName('team');
      const { id } = expectStatus(await api.post<ResourceView>('/v1/projects', { name }), 201).body;
      const [admin, member] = [(await key(id, 'admin')).client, (await key(id, 'member')).client];
      const body = { driver: 'fake', nodeGroups: [] };
      const cluster = await member.succeed(member.post<ClusterView>('/v1/clusters', body));
      expect(expectStatus(await admin.patch(`/v1/projects/${name}`, { description: 'web' }), 200).body).toMatchObject({
        description: 'web',
        status: 'ACTIVE',
      });
      expectProblem(await admin.post(`/v1/projects/${id}/actions/disable`), 403);
      expect(expectStatus(await api.post(`/v1/projects/${id}/actions/disable`), 200).body).toMatchObject({
        status: 'DISABLED',
      });
      const path = `/v1/clusters/${cluster.id}`;
      await eventually(async () => (await member.get(path)).status === 403, { what: 'members do not read' });
      await eventually(async () => (await admin.delete(path)).status === 403, { what: 'administrators do not change' });
      expect((await admin.read<ClusterView>(path)).id).toBe(cluster.id);
      expect(await member.read('/v1/whoami')).toMatchObject({ role: 'member' });
      for (const answer of [
        await member.get(path),
        await admin.post('/v1/clusters', body),
        await api.patch(path, { description: 'x' }),
        await api.delete(path),
        await api.patch(`/v1/projects/${id}`, { description: 'x' }),
        await api.post('/v1/api-keys', { project: id, role: 'reader' }),
      ])
        expect(expectProblem(answer, 403).code).toBe('project-disabled');
      expectStatus(await api.post(`/v1/projects/${id}/actions/enable`), 200);
      await eventually(async () => (await member.get(path)).status === 200, { what: 'members read again' });
      await member.succeed(member.delete(path));
    });

    it('an empty project is deleted with its keys, and its name is free', async () => {
      const { api } = fleet;
      const name = uniqueName('team');
      const { id } = expectStatus(await api.post<ResourceView>('/v1/projects', { name }), 201).body;
      const { client: member } = await key(id, 'member');
      const cluster = await member.succeed(
        member.post<ClusterView>('/v1/clusters', { driver: 'fake', nodeGroups: [] }),
      );
      const template = expectStatus(
        await member.post<ResourceView>('/v1/cluster-templates', { driver: 'fake' }),
        201,
      ).body;
      const refused = expectProblem(await api.delete(`/v1/projects/${id}`), 409);
      expect(refused).toMatchObject({ code: 'project-not-empty', contents: ['cluster', 'cluster-template'] });
      expectStatus(await member.delete(`/v1/cluster-templates/${template.id}`), 204);
      await member.succeed(member.delete(`/v1/clusters/${cluster.id}`));
      await eventually(async () => (await api.delete(`/v1/projects/${name}`)).status === 204, {
        what: 'it is deleted',
      });
      expectProblem(await api.get(`/v1/projects/${id}`), 404);
      await eventually(async () => (await member.get('/v1/whoami')).status === 401, { what: 'its keys end' });
      expect((await api.list<ResourceView>(`/v1/api-keys?projectId=${id}`)).length).toBe(0);
      expectStatus(await api.get(`/v1/projects/${id}/events`), 200);
      expectStatus(await api.post('/v1/projects', { name }), 201);
      expect(expectProblem(await api.delete('/v1/projects/default'), 409).code).toBe('default-project');
    });

    it('an operator makes a key for another operator, whom nothing is hidden from', async () => {
      const made = expectStatus(await fleet.api.post<KeyView>('/v1/api-keys', { role: 'operator' }), 201).body;
      const other = fleet.api.as(made.key ?? '');
      expect(await other.read('/v1/whoami')).toMatchObject({ operator: true, project: null });
      const { items } = await other.read<{ items: KeyView[] }>('/v1/api-keys?role=operator&limit=500');
      expect(items.map(({ id }) => id)).toContain(made.id);
      expectStatus(await other.delete(`/v1/api-keys/${made.id}`), 409);
      expectStatus(await fleet.api.delete(`/v1/api-keys/${made.id}`), 204);
    });

    it('the API requires a key and never shows one in an answer', async () => {
      for (const wrong of ['', 'rubbish', `${fleet.api.key}x`])
        expect(expectProblem(await fleet.api.as(wrong).get('/v1/clusters'), 401).code).toBeTruthy();
      const { client } = await key(await project(), 'reader');
      expect((await fleet.api.get('/v1/api-keys')).text).not.toContain(client.key);
      expect((await fleet.api.get('/v1/events?since=start&limit=500')).text).not.toContain(client.key);
    });
  });
}

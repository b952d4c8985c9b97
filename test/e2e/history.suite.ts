import { eventually, expectProblem, expectStatus, uniqueName, type Page, type StaveClient } from '@stave/testing';
import { Fleet } from './fleet.js';
import { PastCopies } from './past-copies.js';
import type { StackOf } from './stack.js';
import type { CloudEventView, ClusterView, NodeGroupView, NodeView, ResourceView } from './views.js';

interface Diff {
  readonly from: { readonly revision: number; readonly time: string };
  readonly to: { readonly revision: number; readonly time: string };
  readonly events: number;
  readonly changes: readonly { readonly pointer: string; readonly from?: unknown; readonly to?: unknown }[];
}

interface CauseView extends CloudEventView {
  readonly actor?: string;
  readonly causationid: string;
  readonly actorname?: string;
  readonly operationid?: string;
}

/** Reads all items in pages of `limit`. */
async function pages<T>(api: StaveClient, path: string, limit: number): Promise<T[]> {
  const found: T[] = [];
  for (let cursor = ''; ;) {
    const page = await api.read<Page<T>>(`${path}&limit=${limit}${cursor}`);
    found.push(...page.items);
    if (page.nextCursor === null) return found;
    cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`;
  }
}

/** Removes the fields that depend on events of nodes and of other streams. */
function ownFields(shown: object): object {
  const { nodeCounts: _counts, nodesReady: _ready, ...rest } = shown as Record<string, unknown>;
  if (!('nodeGroupId' in rest)) return rest;
  const { labels: _labels, conductorGroup: _group, ...own } = rest;
  return own;
}

const names = (items: readonly ResourceView[]): string[] => items.map(({ name }) => name);

/** Tests reads of the past: of one resource, of the fleet, of deleted resources. */
export function describeHistory(stack: StackOf): void {
  describe('the past', () => {
    let fleet: Fleet;
    beforeAll(() => void (fleet = new Fleet(stack())));

    describe('of a cluster that is deleted, with its groups and nodes', () => {
      const labels = { life: uniqueName('l') };
      const list = `/v1/clusters?labels.life=${labels.life}`;
      let copies: PastCopies;
      let id: string;
      let beforeIt: string;

      beforeAll(async () => {
        copies = new PastCopies(fleet.api);
        beforeIt = new Date().toISOString();
        await copies.following(async () => {
          const other = await fleet.cluster({ labels }, [{ count: 0 }]);
          copies.add(list, `/v1/clusters/${other.id}`);
          const groups = [{ count: 2 }, { name: 'x', count: 1, zones: ['a', 'b'] }];
          const accepted = expectStatus(await fleet.ask({ labels, description: 'first' }, groups), 202);
          ({ id } = accepted.body);
          const path = `/v1/clusters/${id}`;
          copies.add(path, `${path}/node-groups?sort=name`, `${path}/nodes?sort=name`);
          copies.add(`${path}/node-groups/w`, `${path}/node-groups/x`);
          await fleet.api.succeed(accepted);
          const nodes = await fleet.settled(id, 3);
          copies.add(...nodes.map(node => `/v1/nodes/${node.id}`));
          await copies.quiet('created');
          await fleet.api.succeed(fleet.api.patch(path, { description: 'second', labels: { more: 'yes' } }));
          await fleet.api.succeed(fleet.api.patch(`${path}/node-groups/w`, { labels: { tier: 'web' } }));
          await copies.quiet('patched');
          await fleet.api.succeed(fleet.api.post(`${path}/node-groups/w/actions/resize`, { count: 4 }));
          const grown = await fleet.settled(id, 5);
          copies.add(...grown.map(node => `/v1/nodes/${node.id}`));
          await copies.quiet('grown');
          await fleet.api.succeed(fleet.api.post(`/v1/nodes/${grown[0]?.id}/actions/cordon`));
          await fleet.api.succeed(fleet.api.delete(`${path}/node-groups/x`));
          await eventually(async () => (await fleet.nodes(id)).length === 4);
          await copies.quiet('shrunk');
          await fleet.api.succeed(fleet.api.delete(path));
          expectProblem(await fleet.api.get(path), 404);
          await copies.quiet('deleted');
        });
      });

      it('a past read returns what the API showed at that time, counts and lists included', async () => {
        expect(copies.quietOnes.map(({ when }) => when)).toEqual(['created', 'patched', 'grown', 'shrunk', 'deleted']);
        for (const { when, at, shown } of copies.quietOnes)
          for (const [path, then] of shown)
            expect([when, path, await copies.past(path, at)]).toEqual([when, path, then]);
      });

      it('a past read returns the fields that the API showed during changes', async () => {
        const seen = await copies.ofOwnEvents();
        expect(seen.length).toBeGreaterThan(5);
        for (const { path, body } of seen) {
          const past = await copies.past(path, body.updatedAt);
          expect([path, ownFields(past)]).toEqual([path, ownFields(body)]);
        }
      });

      it('a past read of a revision has the ETag of that revision', async () => {
        const path = `/v1/clusters/${id}`;
        for (const [revision, description] of ['first', 'second', 'second'].entries()) {
          const answer = expectStatus(await fleet.api.get<ClusterView>(`${path}?at=${revision + 1}`), 200);
          expect(answer.body).toMatchObject({ id, revision: revision + 1, description });
          expect(answer.headers.get('etag')).toBe(`"${revision + 1}"`);
        }
        expect(await fleet.api.read(`${path}?at=1&fields=description,status`)).toEqual({
          id,
          description: 'first',
          status: 'ACTIVE',
        });
        expect(await fleet.api.read<ClusterView>(`${path}?at=3`)).toMatchObject({ status: 'DELETING' });
      });

      it('a resource is not found before its creation, after its deletion, at other revisions, or under another name or cluster', async () => {
        const now = new Date().toISOString();
        for (const at of [beforeIt, now, '0', '4', '2020-01-01'])
          expectProblem(await fleet.api.get(`/v1/clusters/${id}?at=${at}`), 404);
        const none = expectProblem(await fleet.api.get(`/v1/clusters/${id}?at=4`), 404);
        expect(none.detail).toBe('?at: the cluster has no revision 4, the last before that is 3');
        for (const at of ['2026-11-31', '2026-02-30'])
          expectProblem(await fleet.api.get(`/v1/clusters/${id}?at=${at}`), 400, '?at');
        const { name } = await fleet.api.read<ClusterView>(`/v1/clusters/${id}?at=1`);
        expectProblem(await fleet.api.get(`/v1/clusters/${name}?at=1`), 404);
        const [group] = await fleet.api.list<NodeGroupView>(
          `/v1/clusters/${id}/node-groups?at=${copies.quietAt('created')}`,
        );
        const elsewhere = (await fleet.api.list<ClusterView>(list))[0]?.id;
        expect(await fleet.api.read(`/v1/clusters/${id}/node-groups/${group?.id}?at=1`)).toMatchObject({
          id: group?.id,
        });
        expectProblem(await fleet.api.get(`/v1/clusters/${elsewhere}/node-groups/${group?.id}?at=1`), 404);
      });

      it('a past read finds node groups of a deleted cluster by their names', async () => {
        const path = `/v1/clusters/${id}/node-groups`;
        const at = copies.quietAt('grown');
        for (const group of await fleet.api.list<NodeGroupView>(`${path}?at=${at}`)) {
          expect(await fleet.api.read(`${path}/${group.name.toUpperCase()}?at=${at}`)).toEqual(group);
          expect(await fleet.api.read(`${path}/${group.name}?at=1`)).toMatchObject({ id: group.id, revision: 1 });
          const events = await fleet.api.list<CloudEventView>(`${path}/${group.name}/events`);
          expect(events[0]?.subject).toBe(`nodeGroup/${group.id}`);
        }
        expectProblem(await fleet.api.get(`${path}/w?at=${beforeIt}`), 404);
        expectProblem(await fleet.api.get(`${path}/other?at=1`), 404);
        expectProblem(await fleet.api.get(`${path}/other/events`), 404);
      });

      it('a diff compares a resource at any two times or revisions', async () => {
        const path = `/v1/clusters/${id}/diff`;
        const changed = await fleet.api.read<Diff>(`${path}?from=1&to=2`);
        expect(changed).toMatchObject({ from: { revision: 1 }, to: { revision: 2 } });
        expect(changed.events).toBeGreaterThan(0);
        expect(changed.changes).toEqual(
          expect.arrayContaining([
            { pointer: '/description', from: 'first', to: 'second' },
            { pointer: '/labels/more', to: 'yes' },
          ]),
        );
        const grown = `from=${copies.quietAt('patched')}&to=${copies.quietAt('grown')}`;
        const counted = (await fleet.api.read<Diff>(`${path}?${grown}`)).changes;
        expect(counted).toContainEqual({ pointer: '/nodeCounts/total', from: 3, to: 5 });
        for (const change of counted)
          expect(change).toEqual({ pointer: expect.stringMatching('^/nodeCounts/'), from: 3, to: 5 });
        const whole = await fleet.api.read<Diff>(`${path}?from=1`);
        expect(whole.to.revision).toBe(3);
        expect(whole.changes).toContainEqual({ pointer: '/status', from: 'ACTIVE', to: 'DELETING' });
        expect((await fleet.api.read<Diff>(`${path}?from=2&to=2`)).changes).toEqual([]);
        expectProblem(await fleet.api.get(`${path}?from=${beforeIt}`), 404);
        const none = expectProblem(await fleet.api.get(`${path}?from=1&to=9`), 404);
        expect(none.detail).toContain('?to: the cluster has no revision 9');
      });

      it('a list at a past time is ordered, paged, filtered and counted', async () => {
        const at = copies.quietAt('grown');
        const page = await fleet.api.read<Page<ClusterView>>(`${list}&at=${at}&sort=-name&total=true`);
        expect(page.total).toBe(2);
        expect(names(page.items)).toEqual([...names(page.items)].sort().reverse());
        expect(await pages(fleet.api, `${list}&at=${at}&sort=-name`, 1)).toEqual(page.items);
        const node = `/v1/clusters/${id}/nodes?at=${at}`;
        const nodes = await pages<NodeView>(fleet.api, `${node}&sort=name`, 2);
        expect(nodes).toHaveLength(5);
        expect(await fleet.api.list(`${node}&status=DELETING`)).toEqual([]);
        expect(await fleet.api.list(`/v1/nodes?at=${at}&clusterId=${id}&labels.tier=web`)).toHaveLength(4);
        expect(await fleet.api.list(`${list}&at=${beforeIt}`)).toEqual([]);
        const next = (await fleet.api.read<Page<ClusterView>>(`${list}&at=${at}&limit=1`)).nextCursor;
        expectProblem(await fleet.api.get(`${list}&at=${beforeIt}&limit=1&cursor=${next}`), 400, '?cursor');
        expectProblem(await fleet.api.get(`${list}&limit=1&cursor=${next}`), 400, '?cursor');
        const later = new Date().toISOString();
        expectProblem(await fleet.api.get(`${list}&at=${later}&limit=1&cursor=${next}`), 400, '?cursor');
      });

      it('the past of a resource is hidden from other projects', async () => {
        const { name } = await fleet.api.succeed(
          fleet.api.post<ResourceView>('/v1/projects', { name: uniqueName('p') }),
        );
        const made = await fleet.api.post<{ key: string }>('/v1/api-keys', { project: name, role: 'admin' });
        const stranger = fleet.api.as(made.body.key);
        const at = copies.quietAt('grown');
        const { nodeGroupId, id: nodeId } =
          (await fleet.api.list<NodeView>(`/v1/clusters/${id}/nodes?at=${at}`))[0] ?? {};
        const paths = [`/v1/clusters/${id}`, `/v1/node-groups/${nodeGroupId}`, `/v1/nodes/${nodeId}`];
        for (const path of [...paths, `/v1/clusters/${id}/node-groups`, `/v1/clusters/${id}/nodes`])
          expectProblem(await stranger.get(`${path}?at=${at}`), 404);
        for (const path of paths) expectProblem(await stranger.get(`${path}/diff?from=1`), 404);
        for (const type of ['clusters', 'node-groups', 'nodes', 'containers', 'container-profiles'])
          expect(await stranger.list(`/v1/${type}?at=${at}`)).toEqual([]);
      });

      it('every event of the log names its actor, its correlation and its cause', async () => {
        const all = await pages<CauseView>(fleet.api, '/v1/events?since=start', 500);
        const key = (await fleet.api.read<{ keyId: string }>('/v1/whoami')).keyId;
        for (const { actor, actorname, ...event } of all) {
          expect(event).toMatchObject({ correlationid: expect.any(String), causationid: expect.any(String) });
          if (actorname === undefined) expect(actor).toMatch(/^(reconciler|health|rollout|(conductor|service)[/].+)$/);
          else if (actor === key) expect(actorname).toBe('administrator');
        }
        const byTask = all.filter(({ type }) => /[.]task(?:Claimed|Completed|Failed|Progressed)[.]/.test(type));
        expect(byTask.length).toBeGreaterThan(20);
        for (const { type, actor } of byTask)
          expect([type, actor]).toEqual([type, expect.stringMatching(/^conductor[/]/)]);
        expect(all.some(({ actor }) => actor === 'reconciler')).toBe(true);
      });

      it('the history shows actor, cause and operation of each event', async () => {
        const all = await pages<CauseView>(fleet.api, `/v1/events?since=start&cluster=${id}`, 500);
        const ids = new Set(all.map(event => event.id));
        const owned = all.filter(({ subject }) => /^(cluster|nodeGroup|node)[/]/.test(subject));
        expect(owned.length).toBeGreaterThan(40);
        // what nobody requested was caused by another event
        for (const event of owned)
          if (event.actorname === undefined) expect([event, ids.has(event.causationid)]).toEqual([event, true]);
        const history = await fleet.api.list<CauseView>(`/v1/clusters/${id}/events?limit=500`);
        const asked = history.filter(({ actorname }) => actorname !== undefined);
        expect(asked.map(({ type }) => type)).toEqual([
          'stave.cluster.created.v1',
          'stave.cluster.updated.v1',
          'stave.cluster.deletionRequested.v1',
        ]);
        const first = history[0];
        const operation = await fleet.api.list<CauseView>(`/v1/operations/${first?.operationid}/events?limit=500`);
        expect(operation.map(event => event.id)).toContain(first?.id);
      });
    });
  });
}

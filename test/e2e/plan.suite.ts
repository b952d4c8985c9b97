import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { eventually, expectProblem, itOn, operationIdOf, uniqueName, type StaveAnswer } from '@stave/testing';
import { Fleet, small } from './fleet.js';
import { plannedChanges, type Made, type PlannedChange } from './planned-changes.js';
import type { OpenApi, PlanView } from './plan-views.js';
import type { StackOf } from './stack.js';
import type { CloudEventView, ResourceView } from './views.js';

/** The log in the data directory, of the embedded store and of the one that is served over EventStoreDB's protocol. */
const eventStoreElsewhere =
  process.env['EVENTSTORE_URL'] && 'the event store of EVENTSTORE_URL keeps its log elsewhere';

type Document = ResourceView & Readonly<Record<string, unknown>>;

const filled = <T extends string | object>(template: T, made: Made): T =>
  JSON.parse(JSON.stringify(template).replaceAll(/\{([a-z0-9 -]+)\}/g, (_, word: string) => made.get(word) ?? word));

/** The categories of streams whose events are not published. */
const unpublished = /^(?:name|apiKey|quota|clusterGroups|conductorRing)(?:-|$)/;

/** Returns a matcher for a planned value that accepts any text for secrets and times. */
function asPlanned(value: unknown): unknown {
  if (typeof value === 'string') return /^\((?:generated|time)\)$/.test(value) ? expect.any(String) : value;
  if (Array.isArray(value)) return value.map(asPlanned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, asPlanned(item)]));
}

/** Tests that every change can be planned, and that a change with a plan token is executed as planned or refused. */
export function describePlans(stack: StackOf): void {
  describe('plans', () => {
    let fleet: Fleet;
    const made: Made = new Map();
    const dryRuns: string[] = [];
    beforeAll(async () => {
      fleet = new Fleet(stack());
      const [conductor] = await fleet.api.list<Document>('/v1/conductors');
      made.set('conductor', conductor?.id ?? '');
    });

    async function ask<T = PlanView>(change: PlannedChange, query: string): Promise<StaveAnswer<T>> {
      const { method, path, body } = change;
      const filledBody = body && { body: filled(body, made) };
      const answer = await fleet.api.send<T>(method, `${filled(path, made)}${query}`, filledBody);
      if (query.includes('dryRun')) dryRuns.push(answer.headers.get('x-correlation-id') ?? '');
      return answer;
    }
    const plan = (change: PlannedChange): Promise<StaveAnswer<PlanView>> => ask(change, '?dryRun=true');
    const execute = (change: PlannedChange, token: string): Promise<StaveAnswer<Document>> =>
      ask(change, `?planToken=${token}`);

    async function remember({ makes }: PlannedChange, answer: StaveAnswer<Document>): Promise<void> {
      if (makes === undefined) return;
      made.set(makes, answer.body.id).set(`${makes} operation`, operationIdOf(answer) ?? '');
      // the work that the creation starts would change the next plan
      if (makes === 'slow') await eventually(async () => (await fleet.nodes(answer.body.id)).length === 2);
      if (makes === 'cluster') for (const { name, id } of await fleet.settled(answer.body.id, 4)) made.set(name, id);
    }

    /** Returns the data of the published events of the request, whether a controller or a reconciler appended them. */
    async function appended(since: string, answer: StaveAnswer<unknown>): Promise<readonly unknown[]> {
      const path = `/v1/events?limit=500&since=${since}`;
      const { items } = await fleet.api.read<{
        items: readonly (CloudEventView & { data: object; correlationid: string })[];
      }>(path);
      return items.filter(e => e.correlationid === answer.headers.get('x-correlation-id')).map(e => e.data);
    }

    async function nodesAreAsPlanned({ steps }: PlanView, makes?: string): Promise<void> {
      for (const { action, resource, by } of steps.filter(s => s.resource.type === 'node')) {
        const old = resource.id === undefined ? undefined : (await fleet.api.get(`/v1/nodes/${resource.id}`)).status;
        expect([action, resource.name, old]).toEqual([
          action,
          resource.name,
          { create: undefined, keep: 200, change: 200, replace: 404, remove: 404 }[action],
        ]);
        const fresh = by ?? (action === 'create' ? resource.name : undefined);
        const cluster = made.get(makes === 'copy' ? makes : 'cluster');
        if (fresh !== undefined)
          expect(await fleet.api.list(`/v1/nodes?clusterId=${cluster}&name=${fresh}`)).toHaveLength(1);
      }
    }

    it.each(plannedChanges.map(change => [change.route, change] as const))(
      'the plan of %s matches its execution',
      async (_, change) => {
        const { refused, unexecuted } = change;
        const since = await fleet.head();
        const planned = await plan(change);
        if (refused) {
          const [status, code] = refused;
          expect(expectProblem(planned, status).code).toBe(code);
          expect(expectProblem(await ask(change, ''), status).code).toBe(code);
          return;
        }
        expect([planned.status, planned.body]).toEqual([
          200,
          expect.objectContaining({ planToken: expect.any(String), diff: expect.any(Array), steps: expect.any(Array) }),
        ]);
        expect(planned.body.events).not.toEqual([]);
        if (unexecuted) return;
        const done = await execute(change, planned.body.planToken);
        if (change.makes === 'slow' || change.route === 'cancelOperation') expect(done.status).toBe(202);
        else await fleet.api.succeed(done);
        await remember(change, done);
        const events = planned.body.events.filter(e => !unpublished.test(e.stream));
        const data = await eventually(async () => {
          const found = await appended(since, done);
          return found.length >= events.length ? found : undefined;
        });
        expect(data).toMatchObject(events.map(e => asPlanned(e.data)));
        if (change.makes !== 'slow' && change.route !== 'cancelOperation')
          await nodesAreAsPlanned(planned.body, change.makes);
        const [first] = planned.body.diff;
        const created = change.method === 'POST' && planned.body.diff.every(d => !('from' in d)) && done.body;
        if (created)
          for (const { pointer, to } of planned.body.diff.filter(d => d.resource.type === first?.resource.type))
            expect([pointer, created[pointer.slice(1)]]).toEqual([pointer, asPlanned(to)]);
        const again = await execute(change, planned.body.planToken);
        expect([404, 409]).toContain(again.status);
      },
    );

    it('every route that changes something answers a dry run, also for resources that do not exist', async () => {
      const { paths } = await fleet.api.read<OpenApi>('/openapi.json');
      for (const [path, methods] of Object.entries(paths)) {
        for (const [method, { operationId, parameters, requestBody }] of Object.entries(methods)) {
          // it takes back the cookie that was sent with it, of nobody else, and nothing is kept of it
          if (['get', 'head'].includes(method) || operationId === 'logout') continue;
          expect([operationId, ...parameters.map(p => p.name)]).toEqual(
            expect.arrayContaining(['dryRun', 'planToken']),
          );
          const body = requestBody?.content['application/json']?.example;
          const target = `${path.replaceAll(/\{\w+\}/g, randomUUID())}?dryRun=true`;
          const answer = await fleet.api.send(method.toUpperCase(), target, body === undefined ? {} : { body });
          if (![200, 404, 409, 422].includes(answer.status)) throw new Error(`${operationId}: ${answer.text}`);
          dryRuns.push(answer.headers.get('x-correlation-id') ?? '');
        }
      }
    });

    itOn(eventStoreElsewhere, 'a dry run appends nothing to the event log', async () => {
      const log = join(dirname(dirname(stack().journalPath)), 'event-store', 'events.log');
      const text = readFileSync(log, 'utf8');
      expect(dryRuns.length).toBeGreaterThan(30);
      expect(dryRuns.filter(id => id === '' || text.includes(id))).toEqual([]);
    });

    it('a plan token is refused when another request has changed the resource', async () => {
      const { id } = await fleet.cluster({}, [{ count: 1 }]);
      const group = `/v1/clusters/${id}/node-groups/w`;
      const changes: readonly [PlannedChange, string, object][] = [
        [
          { route: '', method: 'PATCH', path: `/v1/clusters/${id}`, body: { labels: { a: '1' } } },
          `/v1/clusters/${id}`,
          { description: 'other' },
        ],
        [
          { route: '', method: 'POST', path: `${group}/actions/resize`, body: { change: 1 } },
          group,
          { labels: { a: '1' } },
        ],
        [{ route: '', method: 'DELETE', path: group }, group, { labels: { a: '2' } }],
      ];
      for (const [change, path, other] of changes) {
        const { planToken } = (await plan(change)).body;
        await fleet.api.succeed(fleet.api.patch(path, other));
        const problem = expectProblem(await execute(change, planToken), 409);
        expect(problem).toMatchObject({ code: 'plan-stale', changed: expect.arrayContaining(['diff']) });
        const { planToken: fresh } = (await plan(change)).body;
        expect((await execute(change, fresh)).status).toBeLessThan(300);
      }
    });

    it('a token that is none of a plan is refused in the same way with and without an idempotency key', async () => {
      for (const idempotencyKey of [undefined, randomUUID()]) {
        const options = idempotencyKey === undefined ? {} : { idempotencyKey };
        const answer = await fleet.api.post('/v1/projects?planToken=abc', { name: uniqueName('p') }, options);
        expect(expectProblem(answer, 409).code).toBe('plan-stale');
      }
    });

    it('a plan of more nodes than 10,000 is refused before it is computed', async () => {
      const nodeGroups = Array.from({ length: 100 }, (_, i) => ({
        name: `g${i}`,
        role: 'worker',
        count: 10_000,
        flavor: small,
      }));
      const answer = await fleet.api.post('/v1/clusters?dryRun=true', { driver: 'fake', nodeGroups });
      expect(expectProblem(answer, 409).code).toBe('plan-too-large');
    });

    it('a plan token is refused for another body and for another project', async () => {
      const body = { name: uniqueName('c'), driver: 'fake' };
      const create = { route: '', method: 'POST', path: '/v1/clusters', body } as const;
      const { planToken } = (await plan(create)).body;
      const other = { ...create, body: { ...body, description: 'other' } };
      expect(expectProblem(await execute(other, planToken), 409).code).toBe('plan-stale');
      const project = (await fleet.api.post<Document>('/v1/projects', { name: uniqueName('p') })).body.id;
      const key = (await fleet.api.post<{ key: string }>('/v1/api-keys', { project, role: 'member' })).body.key;
      const theirs = await fleet.api.as(key).post(`/v1/clusters?planToken=${planToken}`, body);
      expect(expectProblem(theirs, 409).code).toBe('plan-stale');
      expect((await execute(create, planToken)).status).toBe(202);
    });

    it('a planned operation stops before it deviates from its plan, and shows the reason', async () => {
      const bad = { name: 'bad', role: 'worker', count: 2, flavor: small, options: { refuse: { 'node.create': 1 } } };
      const { id } = await fleet.cluster({}, [{ count: 1 }]);
      const inCluster = { route: '', method: 'POST', path: `/v1/clusters/${id}/node-groups`, body: bad } as const;
      const whole = { name: uniqueName('bad'), driver: 'fake', nodeGroups: [bad] };
      const cluster = { route: '', method: 'POST', path: '/v1/clusters', body: whole } as const;
      for (const change of [inCluster, cluster]) {
        const { planToken, steps } = (await plan(change)).body;
        const planned = steps.flatMap(s => (s.resource.type === 'node' ? [s.resource.name] : []));
        expect(planned).toEqual(['bad-0', 'bad-1']);
        const answer = await execute(change, planToken);
        const operation = await fleet.api.operation(operationIdOf(answer) ?? '');
        const error = { code: 'plan-deviated', detail: expect.stringMatching(/bad-\d: .*refused/) };
        expect(operation).toMatchObject({ status: 'FAILED', error });
        const clusterId = change === cluster ? answer.body.id : id;
        const group = await fleet.group(clusterId, 'bad');
        expect(group).toMatchObject({ status: 'DEGRADED', nodesTotal: 2 });
        const names = (await fleet.nodes(clusterId)).map(n => n.name).filter(name => name.startsWith('bad'));
        expect(names).toEqual(planned);
        await fleet.api.succeed(fleet.api.delete(`/v1/clusters/${clusterId}`));
      }
    });

    it('a dry run is refused with the same problem as the change itself, If-Match included', async () => {
      const { id, revision } = await fleet.cluster({}, [{ count: 1 }]);
      const path = `/v1/clusters/${id}`;
      const dry = (body: object, ifMatch?: number) =>
        fleet.api.patch<PlanView>(`${path}?dryRun=true`, body, ifMatch === undefined ? {} : { ifMatch });
      expectProblem(await dry({ labels: { a: '1' } }, revision + 1), 412);
      expectProblem(await dry({ color: 'red' }), 400, '/color');
      expect((await dry({ labels: { a: '1' } }, revision)).status).toBe(200);
      expectProblem(await fleet.api.patch(`/v1/clusters/${uniqueName('none')}?dryRun=true`, {}), 404);
      expectProblem(await fleet.api.post('/v1/clusters?dryRun=maybe', {}), 400, '?dryRun');
    });
  });
}

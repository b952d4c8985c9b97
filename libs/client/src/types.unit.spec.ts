import type { components, PlanDocument, StaveClient } from './index.js';

type Cluster = components['schemas']['Cluster'];

/** The compiler checks this function; it is never called. */
export async function typed(stave: StaveClient): Promise<void> {
  const { data } = await stave.get('/v1/clusters/{id}', { path: { id: 'shop' } });
  const cluster: Cluster = data;
  const { data: created } = await stave.post('/v1/clusters', { body: { driver: 'fake' } });
  const group = await stave.get('/v1/node-groups', { query: { clusterId: cluster.id } });
  const plan = await stave.plan('patch', '/v1/clusters/{id}', { path: { id: created.id }, body: { description: 'x' } });
  const planned: PlanDocument = plan.data;
  const applied: Cluster = (await plan.apply()).data;
  for await (const { name } of stave.items('/v1/clusters', { query: { status: 'ACTIVE' } })) name.toUpperCase();
  const chosen = await stave.get('/v1/clusters/{id}', { path: { id: 'a' }, query: { fields: 'name' } });
  const id: string = chosen.data.id;
  // @ts-expect-error a member that was not chosen may be absent
  const absent: string = chosen.data.driver;
  // @ts-expect-error the path has a parameter
  await stave.get('/v1/clusters/{id}');
  // @ts-expect-error the filter does not exist
  await stave.get('/v1/clusters', { query: { nmae: 'a' } });
  // @ts-expect-error the body has no such member
  await stave.post('/v1/clusters', { body: { driver: 'fake', colour: 'red' } });
  // @ts-expect-error the path does not have the method
  await stave.put('/v1/clusters/{id}', { path: { id: 'a' } });
  // @ts-expect-error only lists have items
  stave.items('/v1/clusters/{id}', { path: { id: 'a' } });
  // @ts-expect-error a read changes nothing, so that it cannot be planned
  await stave.plan('get', '/v1/clusters');
  void [group, planned, applied, id, absent];
}

it('the compiler checks requests and answers of the client', () => expect(typed).toHaveLength(1));

import { eventually, expectStatus, uniqueName } from '@stave/testing';
import { Fleet, large } from '../e2e/fleet.js';
import { ScaledSet } from '../e2e/scaled-set.js';
import type { ContainerView, ResourceView } from '../e2e/views.js';

interface Product {
  readonly url: string;
  readonly adminKey: string;
}

const LONG = { timeoutMs: 120_000 };

/** Uses the product so that what it measures moves: changes of every kind, failures, refusals, races, autoscaling, a quota, event streams. */
export async function useProduct(product: Product): Promise<void> {
  const fleet = new Fleet(product);
  const endStream = await openStream(product);
  await Promise.all([scaledSet(fleet), scaledGroup(fleet), failures(fleet), races(fleet), quota(fleet), slow(fleet)]);
  endStream();
}

async function scaledSet(fleet: Fleet): Promise<void> {
  const set = await ScaledSet.create(fleet, 1.2);
  await set.has(3);
}

async function profileFor(fleet: Fleet, hostCluster: string): Promise<string> {
  const profile = { name: uniqueName('p'), image: 'web:1', resources: { cpus: 1, memoryMb: 64 }, hostCluster };
  return expectStatus(await fleet.api.post<ResourceView>('/v1/container-profiles', profile), 201).body.id;
}

/** The group grows from nothing, and what is too large for its nodes stays without one. */
async function scaledGroup(fleet: Fleet): Promise<void> {
  const group = { count: 0, maxCount: 3, flavor: large, autoscaling: { enabled: true } };
  const { id } = await fleet.cluster({}, [group]);
  const profile = await profileFor(fleet, id);
  expectStatus(await fleet.api.post('/v1/containers', { profile }), 202);
  const huge = { name: uniqueName('p'), image: 'web:1', resources: { cpus: 64, memoryMb: 64 }, hostCluster: id };
  const tooLarge = expectStatus(await fleet.api.post<ResourceView>('/v1/container-profiles', huge), 201).body.id;
  expectStatus(await fleet.api.post('/v1/containers', { profile: tooLarge }), 202);
  const path = `/v1/containers?clusterId=${id}`;
  const runs = async (): Promise<boolean> =>
    (await fleet.api.list<ContainerView>(path)).some(({ status }) => status === 'ACTIVE');
  await eventually(runs, { ...LONG, what: 'a container runs on a node that was proposed' });
}

/** Nodes that fail twice before they are built, and one that is never built. */
async function failures(fleet: Fleet): Promise<void> {
  const { body } = await fleet.ask({ options: { failFirst: 2 } });
  await fleet.ask({ options: { errorRate: 1 } });
  await fleet.settled(body.id, 2);
}

/** Clusters of one name at once: all but one of them meet another writer. */
async function races(fleet: Fleet): Promise<void> {
  const name = uniqueName('same');
  const answers = await Promise.all(Array.from({ length: 6 }, () => fleet.ask({ name })));
  expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
}

/** The project of the other requests uses some of what it may. */
async function quota(fleet: Fleet): Promise<void> {
  expectStatus(await fleet.api.put('/v1/projects/default/quotas', { limits: { clusters: 50 } }), 200);
}

/** Tasks that a conductor still holds when its next heartbeat is sent. */
const slow = (fleet: Fleet): Promise<unknown> => fleet.cluster({ options: { latencyMs: 5_000 } });

/** Opens an event stream; the returned function closes it, as a client does that is done. */
async function openStream({ url, adminKey }: Product): Promise<() => void> {
  const ending = new AbortController();
  const headers = { authorization: `Bearer ${adminKey}`, accept: 'text/event-stream' };
  const answer = await fetch(`${url}/v1/events`, { headers, signal: ending.signal });
  await answer.body?.getReader().read();
  return () => ending.abort();
}

import { seeded, testSeed } from '@stave/platform/testing';
import { describeOn, eventually, expectStatus, ferretMissing, natsMissing, StaveClient } from '@stave/testing';
import { Crasher } from '../services/crasher.js';
import { RetryingClient } from '../services/retrying-client.js';
import { LedgerProduct } from './ledger-product.js';
import { quotaHistory } from './quota-rules.js';

const LIMITS = { nodes: 12, containers: 10 };
const KILLS = 5;
const REQUESTS = 16;
/** The share of the reservations after which a process is killed while no killed one is starting. */
const SHARE = 0.4;
/** Reservations of killed requests are given back after 30 s. */
const GIVEN_BACK_MS = 120_000;

interface Quotas {
  readonly used: Readonly<Record<string, number>>;
}

interface Made {
  readonly id: string;
}

/** Two of these run. A reservation is written by the first, for one of the others. */
const services = ['cluster-service', 'nodegroup-service', 'container-scheduler'];

describeOn(natsMissing() ?? ferretMissing(), 'quotas while replicas are killed between reserving and appending', () => {
  const seed = testSeed();
  const random = seeded(seed);
  let product: LedgerProduct;
  let operator: StaveClient;
  let client: RetryingClient;
  let projectId: string;
  let crasher: Crasher;
  let [kills, killing] = [0, true];

  const pick = (from: number): number => Math.floor(random() * from);

  beforeAll(async () => {
    product = await LedgerProduct.open();
    const { urls, adminKey } = product.stack;
    operator = new StaveClient(urls[0] ?? '', adminKey);
    projectId = expectStatus(await operator.post<Made>('/v1/projects', { name: 'scarce' }), 201).body.id;
    const key = await operator.post<{ key: string }>('/v1/api-keys', { project: projectId, role: 'member' });
    client = new RetryingClient(urls, expectStatus(key, 201).body.key, 180_000);
    expectStatus(await operator.put(`/v1/projects/${projectId}/quotas`, { limits: LIMITS }), 200);
    crasher = new Crasher(product.stack);
    let resting: Promise<void> | undefined;
    product.store.onAppend(({ types }) => {
      if (!killing || resting || !types.includes('QuotaReserved') || random() >= SHARE) return;
      const victim = services[pick(services.length)] ?? '';
      const both = [victim, `${victim}-2`];
      const victims = random() < 0.4 ? both : [both[pick(2)] ?? ''];
      kills += victims.length;
      for (const each of victims) crasher.crash(each);
      // a process that does not start is reported at the end
      resting = crasher.settled().then(
        () => void (resting = undefined),
        () => undefined,
      );
    });
  }, 240_000);
  afterAll(() => product?.close(), 120_000);

  const used = async (): Promise<Quotas['used']> =>
    (await operator.read<Quotas>(`/v1/projects/${projectId}/quotas`)).used;

  /** Sends a change that may be refused for lack of room. */
  async function attempt(path: string, key: string, body: object): Promise<'accepted' | 'refused'> {
    try {
      await client.accepted('POST', path, key, body);
      return 'accepted';
    } catch (error) {
      if (String(error).includes('"quota-exceeded"')) return 'refused';
      throw error;
    }
  }

  it('never more is used than the limits, and nothing of them is lost', async () => {
    const flavor = { cpus: 8, memoryMb: 8192 };
    const nodeGroups = ['a', 'b'].map(name => ({ name, role: 'worker', count: 1, flavor }));
    const cluster = await client.succeeded<Made>('POST', '/v1/clusters', 'cluster', {
      name: 'c',
      driver: 'fake',
      nodeGroups,
    });
    const resources = { cpus: 0.1, memoryMb: 32 };
    const profile = { name: 'web', image: 'web:1', resources, hostCluster: cluster.id };
    await client.accepted('POST', '/v1/container-profiles', 'profile', profile);
    const set = await client.accepted<Made>('POST', '/v1/container-sets', 'set', {
      name: 's',
      profile: 'web',
      desired: 1,
    });
    const counts = { accepted: 0, refused: 0 };
    const request = (key: string): Promise<'accepted' | 'refused'> => {
      const [kind, count] = [pick(3), 1 + pick(9)];
      if (kind === 0) return attempt('/v1/containers', key, { profile: 'web' });
      if (kind === 1) return attempt(`/v1/container-sets/${set.id}/actions/resize`, key, { count });
      const group = pick(2) === 0 ? 'a' : 'b';
      return attempt(`/v1/clusters/${cluster.id}/node-groups/${group}/actions/resize`, key, { count });
    };
    for (let round = 0; kills < KILLS; round++) {
      const answers = await Promise.all(Array.from({ length: REQUESTS }, (_, n) => request(`r${round}-${n}`)));
      for (const answer of answers) counts[answer] += 1;
      await crasher.settled();
    }
    killing = false;
    await crasher.settled();
    const { most, last } = quotaHistory(await product.events(), projectId);
    // the limits were reached
    expect(most.nodes).toBeGreaterThan(LIMITS.nodes / 2);
    expect(most.containers).toBeGreaterThan(LIMITS.containers / 2);
    expect({ seed, nodes: most.nodes <= LIMITS.nodes, containers: most.containers <= LIMITS.containers }).toEqual({
      seed,
      nodes: true,
      containers: true,
    });
    const isExact = async (): Promise<boolean> => {
      const { nodes, containers } = await used();
      return nodes === last.nodes && containers === last.containers;
    };
    await eventually(isExact, { timeoutMs: GIVEN_BACK_MS, everyMs: 500, what: 'exactly what lives is used' }).catch(
      async (cause: unknown) => {
        const open = (await product.store.readStream(`quota-${projectId}`)).slice(-8);
        const shown = open.map(({ type, data, metadata }) => [type, data, metadata.time]);
        throw new Error(`seed ${seed}: ${JSON.stringify([kills, await used(), last, shown])}`, { cause });
      },
    );
    // everything that is left can be taken, and nothing beyond
    const group = `/v1/clusters/${cluster.id}/node-groups/a/actions/resize`;
    const countOf = async (name: string): Promise<number> =>
      (await operator.read<{ count: number }>(`/v1/clusters/${cluster.id}/node-groups/${name}`)).count;
    const isAtRest = async (): Promise<boolean> => (await used()).nodes === (await countOf('a')) + (await countOf('b'));
    await eventually(isAtRest, { timeoutMs: GIVEN_BACK_MS, everyMs: 500, what: 'no node leaves any more' });
    const full = LIMITS.nodes - (await countOf('b'));
    expect(await attempt(group, 'full', { count: full })).toBe('accepted');
    expect(await attempt(group, 'beyond', { count: full + 1 })).toBe('refused');
    console.info(`STAVE_TEST_SEED=${seed}: ${JSON.stringify({ ...counts, kills, most, last })}`);
    expect(counts.accepted).toBeGreaterThan(0);
    expect(counts.refused).toBeGreaterThan(0);
  }, 600_000);
});

import { seeded, testSeed } from '@stave/platform/testing';
import { eventually, StaveClient, type OperationView } from '@stave/testing';
import { Crasher } from '../services/crasher.js';
import { inParallel } from '../services/in-parallel.js';
import { RetryingClient } from '../services/retrying-client.js';
import { checkWrites, contains } from './check-writes.js';
import { RandomKills } from './random-kills.js';
import { clusterLife, hostLife, profileLife, templateLife, type Life } from './resource-lives.js';
import type { AcknowledgedWrite, ExpectedResource, Random, SendWrite, Write } from './write.js';
import type { WrittenProduct } from './written-product.js';

/** The writes of each type; 2,000 together, and those that complete the last lives. */
const lives: readonly {
  readonly type: string;
  readonly life: Life;
  readonly writes: number;
  readonly lanes: number;
}[] = [
  { type: 'cluster', life: clusterLife, writes: 1_000, lanes: 8 },
  { type: 'template', life: templateLife, writes: 500, lanes: 4 },
  { type: 'profile', life: profileLife, writes: 500, lanes: 4 },
];
const WRITES = 2_000;
/** The share of the writes that are sent twice at once. */
const DOUBLE = 0.1;
/** The share of the writes that are sent again in the end. */
const REPEATED = 0.1;
const PATIENCE_MS = 180_000;
const SETTLED_MS = 240_000;

/** Checks what 2,000 acknowledged writes leave in the log and in the API when the processes are killed again and again. */
export function describeKilledWrites(start: () => Promise<WrittenProduct>): void {
  const seed = testSeed();
  const random = seeded(seed);
  const writes: AcknowledgedWrite[] = [];
  const expected: ExpectedResource[] = [];
  let product: WrittenProduct;
  let client: RetryingClient;
  let kills: RandomKills;

  beforeAll(async () => {
    product = await start();
    client = new RetryingClient([product.url], product.adminKey, PATIENCE_MS);
    kills = new RandomKills(new Crasher(product), product.victims, random);
  }, 120_000);
  afterAll(() => product?.close(), 120_000);

  it('2,000 writes are acknowledged while the processes are killed', async () => {
    const began = performance.now();
    const acknowledge = (write: Write, resourceId: string): string => {
      writes.push({ ...write, resourceId });
      kills.acknowledged();
      return resourceId;
    };
    const send: SendWrite = async write => acknowledge(write, await sent(client, write, random() < DOUBLE));
    expected.push(...(await hostLife('home', send, random)));
    await Promise.all(lives.map(kind => live(kind, send, random, expected)));
    await kills.settled();
    const seconds = ((performance.now() - began) / 1000).toFixed(0);
    const text = JSON.stringify({ ...countsOf(writes), seconds, kills: kills.counts() });
    console.info(`STAVE_TEST_SEED=${seed}: ${writes.length} acknowledged ${text}`);
    expect(writes.length).toBeGreaterThanOrEqual(WRITES);
    for (const [victim, times] of Object.entries(kills.counts())) expect([victim, times > 1]).toEqual([victim, true]);
  }, 900_000);

  /** The other tests say nothing where the writes are not complete. */
  const requireWrites = (): void => {
    if (writes.length < WRITES) throw new Error(`only ${writes.length} writes were acknowledged`);
  };

  it('every operation of an acknowledged write ends', async () => {
    requireWrites();
    const open = (): Promise<readonly OperationView[]> => client.list('/v1/operations?status=PENDING,RUNNING');
    await eventually(async () => (await open()).length === 0, {
      timeoutMs: SETTLED_MS,
      everyMs: 200,
      what: `the end of all operations, STAVE_TEST_SEED=${seed}`,
    });
  }, 300_000);

  it('the API shows exactly the acknowledged writes after an orderly restart, and a repeat gets the same answer', async () => {
    requireWrites();
    await product.restart();
    const api = new StaveClient(product.url, product.adminKey);
    const wrong: string[] = [];
    await inParallel(expected, 8, async resource => void wrong.push(...(await wrongResource(api, resource))));
    for (const type of new Set(expected.map(each => each.type))) {
      const listed = (await client.list<{ readonly id: string }>(`/v1/${type}`)).length;
      const alive = expected.filter(each => each.type === type && each.shows !== undefined).length;
      if (listed !== alive) wrong.push(`${listed} ${type} are listed instead of ${alive}`);
    }
    await inParallel(
      writes.filter(() => random() < REPEATED),
      8,
      async write => {
        const id = await sent(client, write, false);
        if (id !== write.resourceId) wrong.push(`a repeat of ${write.key} answers ${id}, not ${write.resourceId}`);
      },
    );
    expect({ seed, wrong }).toEqual({ seed, wrong: [] });
  }, 300_000);

  it('the log has every acknowledged write exactly once, and no other', async () => {
    requireWrites();
    const events = await product.readLog();
    expect({ seed, wrong: checkWrites(events, writes) }).toEqual({ seed, wrong: [] });
    console.info(`STAVE_TEST_SEED=${seed}: ${events.length} events checked for ${writes.length} writes`);
  }, 120_000);
}

/** Lives one life after the other in each lane until the writes of the type are acknowledged. */
async function live(
  { type, life, writes, lanes }: (typeof lives)[number],
  send: SendWrite,
  random: Random,
  expected: ExpectedResource[],
): Promise<void> {
  let acknowledged = 0;
  let names = 0;
  const counted: SendWrite = async write => {
    const id = await send(write);
    acknowledged += 1;
    return id;
  };
  const lane = async (): Promise<void> => {
    while (acknowledged < writes) expected.push(...(await life(`${type}${names++}`, counted, random)));
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** Sends a write until it is answered and returns the id of its resource; throws when two answers differ. */
async function sent(client: RetryingClient, write: Write, twice: boolean): Promise<string> {
  const { key, method, path, body } = write;
  const send = async (): Promise<string> => {
    const answer = await client.accepted<{ readonly id: string } | undefined>(method, path, key, body);
    return answer?.id ?? path.slice(path.lastIndexOf('/') + 1);
  };
  const [first, second] = await Promise.all([send(), ...(twice ? [send()] : [])]);
  if (first === undefined || (twice && first !== second)) throw new Error(`${key} was answered ${first} and ${second}`);
  return first;
}

async function wrongResource(api: StaveClient, { path, shows }: ExpectedResource): Promise<readonly string[]> {
  const { status, body, text } = await api.get(path);
  if (shows === undefined) return status === 404 ? [] : [`${path} was deleted and answers ${status} ${text}`];
  return status === 200 && contains(body, shows) ? [] : [`${path} answers ${status} ${text}`];
}

function countsOf(writes: readonly Write[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { kind } of writes) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

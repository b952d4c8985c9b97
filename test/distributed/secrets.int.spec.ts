import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeOn, eventually, ferretMissing, itOn, natsMissing } from '@stave/testing';
import { MongoClient } from 'mongodb';
import { makeLeakyDriver } from './leaky-driver.js';
import { RestClient, type RestAnswer } from './rest-client.js';
import { startDistributed, type DistributedStack } from './stack.js';

const token = 'SWMTKN-1-3pu6hszjas19xyp7ghgosyx9k8atbfcr8p2is99znpy26u2lkl-1awxwuwd3z9j1z3puu7rcgdbx';
const flavor = { cpus: 1, memoryMb: 512 };
const nodeGroups = [{ name: 'w', role: 'worker', count: 2, flavor }];

/** Every secret of the run has a known value, which must occur in nothing that is stored or shown. */
describeOn(natsMissing(), 'secrets', () => {
  let folder: string;
  let stack: DistributedStack;
  const answers: RestAnswer[] = [];
  const secrets = new Map<string, string>([['join token', token]]);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'stave-secrets-'));
    await makeLeakyDriver(join(folder, 'leaky'), token);
    stack = await startDistributed({
      dataDir: join(folder, 'data'),
      conductors: [{ id: 'one', group: '', env: { DRIVERS_PATH: join(folder, 'leaky') } }],
      driversEnabled: ['leaky'],
      mongo: ferretMissing() === undefined,
      env: { LOG_LEVEL: 'trace' },
    });
    secrets.set("administrator's key", stack.adminKey);
    await provokeLeaks();
  }, 180_000);

  afterAll(async () => {
    await stack?.close();
    await rm(folder, { recursive: true, force: true });
  }, 120_000);

  /** Creates keys and a cluster whose driver leaks the token wherever it can, and provokes several refusals. */
  async function provokeLeaks(): Promise<void> {
    const ask = async (client: RestClient, method: string, path: string, body?: unknown): Promise<RestAnswer> => {
      const answer = await client.call(method, path, body);
      answers.push(answer);
      return answer;
    };
    const made = await stack.rest.call('POST', '/v1/api-keys', { role: 'reader', project: 'default' });
    expect(made.status).toBe(201);
    const key = String(made.body['key']);
    secrets.set('a key', key);
    const reader = new RestClient(stack.url, key);

    const { body } = await ask(stack.rest, 'POST', '/v1/clusters', { name: 'leaky', driver: 'leaky', nodeGroups });
    const path = `/v1/clusters/${String(body['id'])}`;
    const active = async () => (await stack.rest.get(path)).body['status'] === 'ACTIVE';
    await eventually(active, { timeoutMs: 60_000, everyMs: 200, what: 'the cluster to be built in the third attempt' });
    const { status, body: credentials } = await stack.rest.get(`${path}/credentials`);
    expect([status, JSON.stringify(credentials)]).toEqual([200, expect.stringContaining(token)]);

    expect((await ask(reader, 'POST', '/v1/clusters', { name: 'no' })).status).toBe(403);
    await ask(reader, 'GET', '/v1/clusters/nothing');
    await ask(new RestClient(stack.url, `${key}x`), 'GET', '/v1/clusters');
    await ask(stack.rest, 'POST', '/v1/clusters', { name: 'leaky', driver: 'leaky', nodeGroups });
    await stack.rest.call('DELETE', `/v1/api-keys/${String(made.body['id'])}`);
    await ask(reader, 'GET', '/v1/clusters');
    for (const list of ['clusters', 'nodes', 'node-groups', 'operations', 'api-keys', 'conductors'])
      await ask(stack.rest, 'GET', `/v1/${list}`);
    await ask(stack.rest, 'GET', '/v1/events?since=start&limit=500');
  }

  const found = (text: string): string[] =>
    [...secrets].filter(([, value]) => text.includes(value)).map(([name]) => name);

  it('the conductor removes secrets from the steps, failures and results that it reports', () => {
    const events = JSON.stringify(answers.at(-1));
    for (const text of ['join with [secret]', 'refused: [secret]', 'joined with [secret]'])
      expect([text, events.includes(text)]).toEqual([text, true]);
  });

  it('secrets occur in no answer, problem document or published event', () => {
    expect(answers.flatMap(answer => found(JSON.stringify(answer)))).toEqual([]);
    expect(answers.filter(({ status }) => status >= 400).length).toBeGreaterThan(3);
  });

  it('secrets occur in no file: neither in the event log nor in the journal nor in the log of a process', async () => {
    const files = (await readdir(join(folder, 'data'), { recursive: true, withFileTypes: true })).filter(
      entry => entry.isFile() && entry.name !== 'admin.key',
    );
    expect(files.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['events.log', 'one.log', 'api-gateway.log', 'cluster-service.log', 'journal.jsonl']),
    );
    for (const file of files) {
      const path = join(file.parentPath, file.name);
      expect([path, found(await readFile(path, 'latin1'))]).toEqual([path, []]);
    }
    expect(await readFile(join(folder, 'data/logs/one.log'), 'utf8')).toContain('joins with [secret]');
  });

  itOn(
    ferretMissing(),
    'secrets occur in no read model',
    async () => {
      if (!stack.mongo) throw new Error('the stack was started without a MongoDB');
      const client = await MongoClient.connect(stack.mongo.url);
      let documents = 0;
      for (const { name } of (await client.db().admin().listDatabases()).databases) {
        for (const collection of await client.db(name).collections()) {
          const text = JSON.stringify(await collection.find().toArray());
          documents += text.length > 2 ? 1 : 0;
          expect([collection.namespace, found(text)]).toEqual([collection.namespace, []]);
        }
      }
      await client.close();
      expect(documents).toBeGreaterThan(3);
    },
    60_000,
  );
});

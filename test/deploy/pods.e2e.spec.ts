import { mkdtemp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFakeCloud } from './fake-cloud.js';
import { EmbeddedEventStore } from '@stave/platform';
import { TestAuthority } from '@stave/platform/testing';
import { serveEventStore } from '@stave/event-store-server';
import {
  ConfiguredNats,
  describeOn,
  ferretMissing,
  natsProgramMissing,
  startFerret,
  StaveClient,
  type MongoServer,
} from '@stave/testing';
import { nkeys } from 'nats';
import { parseDocument } from 'yaml';
import { chart, helmMissing, manifestsIn, render, workloadsIn } from './chart.js';
import { PodProcess, type Secrets } from './pod-process.js';

jest.setTimeout(300_000);

const ADMIN_KEY = '9f3c0a7b51d2e8460b6f7a1c94d5e3820f4b6a9c7d1e25380a6c4f9b7e2d1503';
const PROCESSES = ['cluster-service', 'nodegroup-service', 'container-scheduler', 'api-gateway', 'conductor-default'];

describeOn(helmMissing() ?? natsProgramMissing() ?? ferretMissing(), 'the pods of the chart, as processes', () => {
  const closing: (() => Promise<unknown>)[] = [];
  let directory = '';
  let mongo: MongoServer;
  let authority: TestAuthority;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'stave-pods-'));
    authority = await TestAuthority.create();
    const started = await startFerret();
    if ('skipped' in started) throw new Error(started.skipped);
    mongo = started;
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });
  afterAll(async () => {
    await mongo?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  /** Starts the servers of an installation, and returns the values and Secrets that it needs of the cluster. */
  async function cluster(name: string, natsConfiguration: string) {
    const nats = await ConfiguredNats.start(`jetstream: enabled\n${natsConfiguration}`);
    closing.push(() => nats.stop());
    const store = await EmbeddedEventStore.open({ memory: true });
    const served = await serveEventStore(store);
    closing.push(
      () => store.close(),
      () => served.close(),
    );
    const cloud = await makeFakeCloud(join(directory, name, 'cloud'));
    closing.push(() => cloud.stop());
    const secrets: Secrets = {
      'stave-eventstore': { url: `esdb://127.0.0.1:${served.port}?tls=false` },
      'stave-mongodb': { url: mongo.url },
      'stave-admin-key': { 'admin.key': `${ADMIN_KEY}\n` },
    };
    const values = parseDocument(await readFile(join(chart, 'values/small.yaml'), 'utf8'));
    values.setIn(['mongodb', 'prefix'], name);
    values.setIn(['nats', 'url'], nats.url);
    values.setIn(['conductors', 0, 'settings', 'FAKE_CLOUD_URL'], cloud.url);
    return { nats, secrets, values };
  }

  /** Starts every pod, and returns them by component. */
  async function start(name: string, values: unknown, secrets: Secrets): Promise<ReadonlyMap<string, PodProcess>> {
    const folder = join(directory, name);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'values.yaml'), String(values));
    const pods = new Map<string, PodProcess>();
    const workloads = workloadsIn(manifestsIn(render(join(folder, 'values.yaml'))));
    const component = (each: (typeof workloads)[number]): string =>
      each.metadata.labels['app.kubernetes.io/component'] ?? '';
    for (const each of workloads)
      pods.set(component(each), await PodProcess.of(each, join(folder, component(each)), secrets));
    expect([...pods.keys()].sort()).toEqual([...PROCESSES].sort());
    closing.push(() => Promise.all([...pods.values()].map(pod => pod.process.stop())));
    // in no order, as on a cluster
    await Promise.all([...pods.values()].map(pod => pod.process.start()));
    return pods;
  }

  /** Builds a cluster, then stops the pods; nothing may be written outside the volumes. */
  async function works(pods: ReadonlyMap<string, PodProcess>, url: string, name: string): Promise<void> {
    const api = new StaveClient(url, ADMIN_KEY);
    const nodeGroups = [{ name: 'w', role: 'worker', count: 2, flavor: { cpus: 1, memoryMb: 512 } }];
    await api.succeed(api.post('/v1/clusters', { name: 'shop', driver: 'fake', nodeGroups }), 60_000);
    for (const [component, pod] of pods) {
      expect([component, await pod.isAliveAndReady()]).toEqual([component, true]);
      expect([component, await pod.process.stop()]).toEqual([component, { code: 0, signal: null }]);
      expect(await readdir(join(directory, name, component, 'root'))).toEqual([]);
    }
  }

  it('every process becomes ready with exactly the environment and files of its pod, and they work together', async () => {
    const { values, secrets } = await cluster('plain', '');
    const pods = await start('plain', values, secrets);
    const key = join(directory, 'plain/cluster-service/run/stave/admin.key');
    expect((await stat(key)).mode & 0o777).toBe(0o600);
    await works(pods, `http://127.0.0.1:${pods.get('api-gateway')?.port}`, 'plain');
  });

  it('the same with TLS and a key of NATS for each process', async () => {
    const served = await authority.write(directory, 'nats');
    const owners = { apiGateway: '', clusterService: '', nodegroupService: '', containerScheduler: '', conductor: '' };
    const seeds: Record<string, Readonly<Record<string, Uint8Array>>> = {};
    const users = Object.keys(owners).map(owner => {
      const key = nkeys.createUser();
      seeds[`nats-${owner.toLowerCase()}`] = { seed: key.getSeed() };
      return `{ nkey: ${key.getPublicKey()} }`;
    });
    const { nats, secrets, values } = await cluster(
      'secured',
      `tls { cert_file: "${served.certFile}", key_file: "${served.keyFile}" }\nauthorization { users = [${users.join(', ')}] }`,
    );
    values.setIn(['nats'], { url: `tls://localhost:${nats.port}`, caSecret: 'nats-ca', auth: 'nkey' });
    values.setIn(['tls'], { gatewaySecret: 'shown', healthSecret: 'shown' });
    for (const owner of Object.keys(owners).filter(each => each !== 'conductor'))
      values.setIn([owner, 'natsSecret'], `nats-${owner.toLowerCase()}`);
    values.setIn(['conductors', 0, 'natsSecret'], 'nats-conductor');
    const shown = await authority.issue('shown');
    const pods = await start('secured', values, {
      ...secrets,
      ...seeds,
      'nats-ca': { 'ca.crt': authority.cert },
      shown: { 'tls.crt': shown.cert, 'tls.key': shown.key },
    });
    const port = pods.get('api-gateway')?.port;
    for (const pod of pods.values()) expect(await pod.isAliveAndReady()).toBe(true);
    await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow();
  });
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DriverAttribute } from '@stave/driver-sdk';
import { aClusterSpec, aDriverContext, aNodeSpec } from '@stave/driver-sdk/testing';
import manifest from '../driver.manifest.json';
import { InProcessCloud } from './cloud/in-process-cloud.js';
import { readJournal, type JournalEntry } from './index.js';
import { fakeDriver } from './fake.driver.js';

const network = { driver: 'overlay', cidr: '10.1.0.0/16', options: { mtu: '1400' } };
const cluster = aClusterSpec({ network, api: { port: 7000 } });
const node = aNodeSpec({
  cluster,
  image: 'own:1',
  flavor: { cpus: 1, memoryMb: 512, diskGb: 9 },
  dataVolumeGb: 5,
  volumes: [{ name: 'data', sizeGb: 20, type: 'ssd', mountPath: '/data' }],
});

let dataDir = '';
let journal: readonly JournalEntry[] = [];

async function journalOf(path: string): Promise<readonly JournalEntry[]> {
  const entries: JournalEntry[] = [];
  for await (const entry of readJournal(path)) entries.push(entry);
  return entries;
}

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'stave-fake-'));
  const driver = fakeDriver({ installation: 'i1', env: {} }, await InProcessCloud.open(dataDir));
  await driver.cluster.create(aDriverContext(), cluster);
  await driver.node.create(aDriverContext(), node);
  await driver.cluster.update(aDriverContext(), {
    ...cluster,
    network: { ...network, driver: 'bridge', cidr: '10.2.0.0/16', options: { mtu: '9000' } },
    api: { port: 7001 },
  });
  await driver.close();
  journal = await journalOf(join(dataDir, 'fake-cloud', 'journal.jsonl'));
});
afterAll(() => rm(dataDir, { recursive: true }));

/** The journalled form of each attribute: when the unit is created, and where it can change in place, after a change. */
const journalled: Readonly<Record<DriverAttribute, readonly [operation: string, attributes: object][]>> = {
  'network.driver': [
    ['cluster.create', { network: { driver: 'overlay' } }],
    ['cluster.update', { network: { driver: 'bridge' } }],
  ],
  'network.cidr': [
    ['cluster.create', { network: { cidr: '10.1.0.0/16' } }],
    ['cluster.update', { network: { cidr: '10.2.0.0/16' } }],
  ],
  'network.options': [
    ['cluster.create', { network: { options: { mtu: '1400' } } }],
    ['cluster.update', { network: { options: { mtu: '9000' } } }],
  ],
  'api.port': [
    ['cluster.create', { port: 7000 }],
    ['cluster.update', { port: 7001 }],
  ],
  image: [['node.create', { image: 'own:1' }]],
  'flavor.diskGb': [['node.create', { flavor: { diskGb: 9 } }]],
  dataVolumeGb: [['node.create', { dataVolumeGb: 5 }]],
  volumes: [['node.create', { volumes: [{ name: 'data', sizeGb: 20, type: 'ssd', mountPath: '/data' }] }]],
};

it('the fake driver honours every attribute that a manifest can name', () => {
  expect([...manifest.attributes].sort()).toEqual(Object.keys(journalled).sort());
});

it.each(Object.entries(journalled))('the fake driver journals %s', (_, expected) => {
  for (const [operation, attributes] of expected) {
    const units = journal.filter(({ caller }) => caller.operation === operation).flatMap(({ put = [] }) => put);
    expect(units.at(-1)?.attributes).toMatchObject(attributes);
  }
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeOn, eventually, ferretMissing, natsMissing, type OperationView } from '@stave/testing';
import { startDistributed, type DistributedStack } from '../../distributed/stack.js';
import type { ClusterView, ContainerView, NodeGroupView } from '../../e2e/views.js';
import { isSweep } from '../effect-rules.js';
import { journalOf } from '../read-history.js';
import { hashOf, ReadModels, type Documents } from './documents.js';
import { RetryingClient } from './retrying-client.js';
import { clusterRequest } from './expected-clusters.js';

const SERVICES = ['cluster-service', 'nodegroup-service', 'container-scheduler'];
const SWEEPS = 2;
const STABLE_MS = 500;

describeOn(natsMissing() ?? ferretMissing(), 'read models that are wiped', () => {
  let dataDir: string;
  let stack: DistributedStack;
  let client: RetryingClient;
  let models: ReadModels;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'stave-fault-models-'));
    // the orphan sweep removes an orphan at its second sweep
    const env = { ORPHAN_SWEEP_MS: '1000', ORPHAN_GONE_MS: '1000', ORPHAN_NEVER_MS: '1000' };
    stack = await startDistributed({ dataDir, conductors: [{ id: 'one', group: '', env }], mongo: true });
    client = new RetryingClient(stack.urls, stack.adminKey);
    const { mongo, mongoPrefix } = stack;
    if (!mongo || mongoPrefix === undefined) throw new Error('the stack was started without a MongoDB');
    models = new ReadModels(mongo.url, mongoPrefix);
    await fill();
  }, 120_000);

  afterAll(async () => {
    await models?.close();
    await stack?.close();
    await rm(dataDir, { recursive: true, force: true });
  }, 120_000);

  /** Creates resources of every type, changes some and deletes some. */
  async function fill(): Promise<void> {
    const ids: string[] = [];
    for (const name of ['one', 'two', 'three'])
      ids.push(
        (await client.accepted<{ id: string }>('POST', '/v1/clusters', `make-${name}`, clusterRequest(name))).id,
      );
    await done();
    const [one = '', two = '', three = ''] = ids;
    const group = (id: string): string => `/v1/clusters/${id}/node-groups/w`;
    const patch = { labels: { tier: 'web' } };
    await client.accepted('PATCH', `/v1/clusters/${one}`, 'label-cluster', patch);
    await client.accepted('PATCH', group(one), 'label-group', patch);
    await client.accepted('POST', `${group(two)}/actions/resize`, 'resize', { count: 1 });
    await client.accepted('DELETE', `/v1/clusters/${three}`, 'delete');
    await client.accepted('POST', '/v1/container-profiles', 'profile', {
      name: 'p',
      image: 'web:1',
      resources: { cpus: 0.25, memoryMb: 64 },
      hostCluster: one,
    });
    const template = { name: 't', from: { cluster: one }, nodeGroups: [{ name: 'x' }, { name: 'y' }] };
    await client.accepted('POST', '/v1/cluster-templates', 'template', template);
    await client.accepted('PATCH', '/v1/node-group-templates/x', 'take-out', { clusterTemplateId: null });
    await client.accepted('PATCH', '/v1/node-group-templates/x', 'change', { count: 2 });
    await client.accepted('DELETE', '/v1/node-group-templates/y', 'delete-template');
    await client.accepted('POST', '/v1/containers', 'container', { name: 'c', profile: 'p', cluster: one });
    await done();
  }

  const done = (): Promise<boolean> =>
    eventually(
      async () => {
        const operations = await client.list<OperationView>('/v1/operations');
        const containers = await client.list<ContainerView>('/v1/containers');
        return [...operations.map(o => o.status), ...containers.map(c => c.status)].every(
          status => status === 'SUCCEEDED' || status === 'ACTIVE' || status === 'RUNNING',
        );
      },
      { timeoutMs: 30_000, everyMs: 100, what: 'all operations and containers are complete' },
    );

  /** Returns all documents except those of this resource. */
  async function documents(except?: string): Promise<Documents> {
    const all = await models.documents();
    return except === undefined ? all : new Map([...all].filter(([, text]) => !text.includes(except)));
  }

  /** Returns the documents once they no longer change. */
  async function settled(except?: string): Promise<Documents> {
    let before = hashOf(await documents(except));
    let since = performance.now();
    return eventually(
      async () => {
        const found = await documents(except);
        const now = hashOf(found);
        if (now !== before) since = performance.now();
        before = now;
        return performance.now() - since > STABLE_MS ? found : undefined;
      },
      { timeoutMs: 60_000, everyMs: 100, what: 'documents that stay as they are' },
    );
  }

  async function sweepsAndRemovals() {
    const journal = await journalOf(stack.journalPath);
    const swept = journal.filter(isSweep);
    return {
      sweeps: swept.filter(({ call }) => call === 'list').length,
      removals: swept.filter(({ effect }) => effect === 'removed').length,
      effects: journal.filter(({ effect }) => effect !== undefined).length,
    };
  }

  /**
   * Wipes the read models, waits until all documents are restored and the orphan sweep has run several times, and
   * checks that no unit was removed.
   */
  async function wipedAndBack(wipe: () => Promise<void>, changed?: string): Promise<string> {
    const before = await settled(changed);
    const then = await sweepsAndRemovals();
    expect(before.size).toBeGreaterThan(15);
    await wipe();
    const wiped = performance.now();
    const same = async (): Promise<boolean> => hashOf(await documents(changed)) === hashOf(before);
    await eventually(same, { timeoutMs: 90_000, everyMs: 100, what: 'the same documents' }).catch(
      async (error: unknown) => {
        expect(Object.fromEntries(await documents(changed))).toEqual(Object.fromEntries(before));
        throw error;
      },
    );
    const seconds = ((performance.now() - wiped) / 1000).toFixed(1);
    const swept = async (): Promise<boolean> => (await sweepsAndRemovals()).sweeps >= then.sweeps + SWEEPS;
    await eventually(swept, { timeoutMs: 60_000, everyMs: 100, what: 'further orphan sweeps' });
    expect(hashOf(await settled(changed))).toBe(hashOf(before));
    const now = await sweepsAndRemovals();
    expect([now.removals, now.effects]).toEqual([0, then.effects]);
    return `${before.size} documents ${hashOf(before).slice(0, 12)} again after ${seconds} s, ${now.sweeps - then.sweeps} sweeps`;
  }

  it('wiped read models have the same documents again when the services are stopped meanwhile', async () => {
    const summary = await wipedAndBack(async () => {
      for (const name of SERVICES) await stack.process(name).stop();
      await models.wipe();
      expect(await models.stored()).toBe(0);
      await Promise.all(SERVICES.map(name => stack.process(name).start()));
    });
    console.info(`stopped: ${summary}`);
  }, 240_000);

  it('wiped read models have the same documents again when services that still write are killed', async () => {
    const groups = await client.list<NodeGroupView>('/v1/node-groups');
    const cluster = (await client.list<ClusterView>('/v1/clusters')).find(({ name }) => name === 'two');
    const summary = await wipedAndBack(async () => {
      await models.wipe();
      await client.accepted('PATCH', `/v1/clusters/${cluster?.id}`, 'write-on', { description: 'written on' });
      await eventually(async () => (await models.stored()) > 0, { what: 'a document written after the wipe' });
      for (const name of SERVICES) await stack.process(name).kill();
      await Promise.all(SERVICES.map(name => stack.process(name).start()));
    }, cluster?.id);
    expect(await client.list('/v1/node-groups')).toEqual(groups);
    console.info(`killed: ${summary}`);
  }, 240_000);

  it('wiped read models have the same documents again when the services keep running', async () => {
    const summary = await wipedAndBack(() => models.wipe());
    console.info(`running: ${summary}`);
  }, 240_000);
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validateOptions, type Driver, type Options } from '@stave/driver-sdk';
import manifest from '../driver.manifest.json';
import { journalPath, readJournal } from './cloud/journal-file.js';
import { InProcessCloud } from './cloud/in-process-cloud.js';
import { fakeDriver } from './fake.driver.js';
import { aClusterSpec, aContainerSpec, aDriverContext, aNodeSpec, referenceTo } from '@stave/driver-sdk/testing';

describe('Faults of the fake cloud', () => {
  let dataDir = '';
  let driver: Driver;
  const reopen = async () => {
    driver = fakeDriver({ installation: 'i1', env: { CONDUCTOR_ID: 'k1' } }, await InProcessCloud.open(dataDir));
  };
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'stave-fake-'));
    await reopen();
  });
  afterEach(async () => {
    await driver.close();
    await rm(dataDir, { recursive: true });
  });

  const outcomes = async (count: number, options: Options) => {
    const cluster = aClusterSpec({ id: 'c1', options });
    const ids = Array.from({ length: count }, (_, ordinal) => `n${ordinal}`);
    const settled = await Promise.allSettled(
      ids.map(id => driver.node.create(aDriverContext(), aNodeSpec({ id, cluster }))),
    );
    return settled.map(each => (each.status === 'fulfilled' ? 'ok' : each.reason.failure));
  };

  it('fails the first builds of each node, and counts them across a restart', async () => {
    const node = aNodeSpec({ options: { failFirst: 2 } });
    await expect(driver.node.create(aDriverContext(), node)).rejects.toMatchObject({ failure: 'transient' });
    expect(await driver.list(aDriverContext())).toEqual([expect.objectContaining({ state: 'failed' })]);
    await driver.close();
    await reopen();
    await expect(driver.node.create(aDriverContext(), node)).rejects.toMatchObject({ failure: 'transient' });
    await driver.node.create(aDriverContext(), node);
    expect(await driver.list(aDriverContext())).toEqual([expect.objectContaining({ state: 'running' })]);
    await driver.node.rebuild(aDriverContext(), { ...node, generation: 2 });
  });

  it('limits the number of nodes of a cluster, and accepts another node after a delete', async () => {
    expect(await outcomes(3, { capacity: 2 })).toEqual(['ok', 'ok', 'capacity']);
    const cluster = aClusterSpec({ id: 'c1', options: { capacity: 2 } });
    await driver.node.delete(aDriverContext(), referenceTo(aNodeSpec({ id: 'n0', cluster })));
    await driver.node.create(aDriverContext(), aNodeSpec({ id: 'n2', cluster }));
  });

  it('limits the number of nodes of a zone', async () => {
    const cluster = aClusterSpec({ options: { capacity: { a: 1, b: 0 } } });
    await driver.node.create(aDriverContext(), aNodeSpec({ cluster, zone: 'a' }));
    for (const zone of ['a', 'b']) {
      const another = driver.node.create(aDriverContext(), aNodeSpec({ cluster, zone }));
      await expect(another).rejects.toMatchObject({ failure: 'capacity' });
    }
    await driver.node.create(aDriverContext(), aNodeSpec({ cluster, zone: 'c' }));
  });

  it('injects the same errors for the same seed, and failed calls have no effect', async () => {
    const first = await outcomes(200, { errorRate: 0.3, seed: 7 });
    const failed = first.filter(outcome => outcome === 'transient').length;
    expect(failed).toBeGreaterThan(30);
    expect(failed).toBeLessThan(90);
    expect(await driver.list(aDriverContext())).toHaveLength(200 - failed);
    await driver.close();
    await rm(dataDir, { recursive: true });
    await reopen();
    expect(await outcomes(200, { errorRate: 0.3, seed: 7 })).toEqual(first);
    await driver.close();
    await rm(dataDir, { recursive: true });
    await reopen();
    expect(await outcomes(200, { errorRate: 0.3, seed: 8 })).not.toEqual(first);
  });

  it('loses replies of changes that took effect', async () => {
    expect(await outcomes(3, { lostReplies: 1 })).toEqual(['transient', 'transient', 'transient']);
    expect(await driver.list(aDriverContext())).toHaveLength(3);
    expect(await outcomes(3, {})).toEqual(['ok', 'ok', 'ok']);
    expect(await driver.list(aDriverContext())).toHaveLength(3);
  });

  it('fails removals at the requested rate, where options of a group override those of its cluster', async () => {
    const node = aNodeSpec({ cluster: aClusterSpec({ options: { failDelete: 0 } }), options: { failDelete: 1 } });
    await driver.node.create(aDriverContext(), node);
    await expect(driver.node.delete(aDriverContext(), referenceTo(node))).rejects.toMatchObject({
      failure: 'transient',
    });
    expect(await driver.list(aDriverContext())).toHaveLength(1);
  });

  it('refuses the first calls of a kind on each resource permanently, and counts them across a restart', async () => {
    const node = aNodeSpec({ options: { refuse: { 'node.create': 1, 'node.delete': 1 } } });
    await expect(driver.node.create(aDriverContext(), node)).rejects.toMatchObject({ failure: 'permanent' });
    expect(await driver.list(aDriverContext())).toEqual([]);
    await driver.close();
    await reopen();
    await driver.node.create(aDriverContext(), node);
    await expect(driver.node.delete(aDriverContext(), referenceTo(node))).rejects.toMatchObject({
      failure: 'permanent',
    });
    await driver.node.delete(aDriverContext(), referenceTo(node));
    expect(await driver.list(aDriverContext())).toEqual([]);
  });

  it('converges by retries although calls fail and replies are lost', async () => {
    const options = { errorRate: 0.3, lostReplies: 0.3, failDelete: 0.3, failFirst: 1, seed: 3 };
    const cluster = aClusterSpec({ options });
    const nodes = Array.from({ length: 20 }, () => aNodeSpec({ cluster }));
    for (const node of nodes) {
      await retryTransient(() => driver.node.create(aDriverContext(), node));
      await retryTransient(() => driver.node.rebuild(aDriverContext(), { ...node, generation: 2 }));
    }
    const units = await driver.list(aDriverContext());
    expect(units.map(unit => unit.resourceId)).toEqual(nodes.map(node => node.id));
    expect(units.every(unit => unit.generation === 2 && unit.state === 'running')).toBe(true);
    for (const node of nodes) await retryTransient(() => driver.node.delete(aDriverContext(), referenceTo(node, 2)));
    expect(await driver.list(aDriverContext())).toEqual([]);
  });

  it('lists a unit during its build, and does not restore a unit that was removed during its build', async () => {
    const node = aNodeSpec({ options: { latencyMs: { p50: 30, p99: 60 } } });
    const creating = driver.node.create(aDriverContext(), node);
    creating.catch(() => undefined);
    expect(await driver.list(aDriverContext())).toEqual([expect.objectContaining({ state: 'creating' })]);
    await driver.node.delete(aDriverContext(), { ...referenceTo(node), options: {} });
    await expect(creating).rejects.toMatchObject({ failure: 'conflict' });
    expect(await driver.list(aDriverContext())).toEqual([]);
  });

  it('journals every change with task, attempt and generation, and without values of an environment', async () => {
    const task = { taskId: 't9', attempt: 3, generation: 1 };
    const node = aNodeSpec();
    const env = { TOKEN: 'do-not-write-me' };
    await driver.node.create(aDriverContext({ task }), node);
    await driver.containers?.create(
      aDriverContext(),
      aContainerSpec({ clusterId: node.cluster.id, nodeId: node.id, env }),
    );
    await driver.node.delete(aDriverContext({ task }), referenceTo(node));
    const entries = [];
    for await (const entry of readJournal(journalPath(dataDir))) entries.push(entry);
    expect(entries.map(({ call, effect, seq }) => [seq, call, effect])).toEqual([
      [1, 'create', 'created'],
      [2, 'create', 'created'],
      [3, 'find', undefined],
      [4, 'remove', 'removed'],
    ]);
    expect(entries[3]).toMatchObject({
      caller: { operation: 'node.delete', conductor: 'k1', ...task },
      resourceId: node.id,
      unitGeneration: 1,
      gone: ['fc-1', 'fc-2'],
    });
    expect(JSON.stringify(entries)).not.toContain(env.TOKEN);
  });

  it('never reuses an infrastructure id', async () => {
    const node = aNodeSpec();
    const { infrastructureId } = await driver.node.create(aDriverContext(), node);
    await driver.node.delete(aDriverContext(), referenceTo(node));
    await driver.close();
    await reopen();
    const again = await driver.node.create(aDriverContext(), node);
    expect(again.infrastructureId).not.toBe(infrastructureId);
  });

  it('validates options by the schema of its manifest', () => {
    const good = { latencyMs: { p50: 1, p99: 2 }, failFirst: 1, errorRate: 0.1, capacity: { a: 1 }, seed: 's' };
    expect(validateOptions(manifest, good)).toEqual([]);
    expect(validateOptions(manifest, { latencyms: 1, errorRate: 2 })).toEqual([
      expect.objectContaining({ pointer: '/latencyms', code: 'unknown' }),
      expect.objectContaining({ pointer: '/errorRate', code: 'maximum' }),
    ]);
  });
});

async function retryTransient(call: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; attempt <= 50; attempt++) {
    const [outcome] = await Promise.allSettled([call()]);
    if (outcome.status === 'fulfilled') return;
    expect(outcome.reason).toMatchObject({ failure: 'transient' });
  }
  throw new Error('the call did not succeed within 50 attempts');
}

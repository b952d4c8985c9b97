import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validateOptions, type Driver, type Options } from '@stave/driver-sdk';
import manifest from '../driver.manifest.json';
import { journalPath, readJournal } from './cloud/journal-file.js';
import { InProcessCloud } from './cloud/in-process-cloud.js';
import { fakeDriver } from './fake.driver.js';
import { aCluster, aContainer, aContext, aNode, refTo } from './spec-builders.js';

describe('faults of the fake cloud', () => {
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
    const cluster = aCluster({ id: 'c1', options });
    const ids = Array.from({ length: count }, (_, ordinal) => `n${ordinal}`);
    const settled = await Promise.allSettled(ids.map(id => driver.node.create(aContext(), aNode({ id, cluster }))));
    return settled.map(each => (each.status === 'fulfilled' ? 'ok' : each.reason.failure));
  };

  it('fails the first builds of each node, also across a restart', async () => {
    const node = aNode({ options: { failFirst: 2 } });
    await expect(driver.node.create(aContext(), node)).rejects.toMatchObject({ failure: 'transient' });
    expect(await driver.list(aContext())).toEqual([expect.objectContaining({ state: 'failed' })]);
    await driver.close();
    await reopen();
    await expect(driver.node.create(aContext(), node)).rejects.toMatchObject({ failure: 'transient' });
    await driver.node.create(aContext(), node);
    expect(await driver.list(aContext())).toEqual([expect.objectContaining({ state: 'running' })]);
    await driver.node.rebuild(aContext(), { ...node, generation: 2 });
  });

  it('has room for as many nodes as asked, and again after a delete', async () => {
    expect(await outcomes(3, { capacity: 2 })).toEqual(['ok', 'ok', 'capacity']);
    const cluster = aCluster({ id: 'c1', options: { capacity: 2 } });
    await driver.node.delete(aContext(), refTo(aNode({ id: 'n0', cluster })));
    await driver.node.create(aContext(), aNode({ id: 'n2', cluster }));
  });

  it('has room by zone', async () => {
    const cluster = aCluster({ options: { capacity: { a: 1, b: 0 } } });
    await driver.node.create(aContext(), aNode({ cluster, zone: 'a' }));
    for (const zone of ['a', 'b']) {
      const another = driver.node.create(aContext(), aNode({ cluster, zone }));
      await expect(another).rejects.toMatchObject({ failure: 'capacity' });
    }
    await driver.node.create(aContext(), aNode({ cluster, zone: 'c' }));
  });

  it('fails the same calls for the same seed, without effect', async () => {
    const first = await outcomes(200, { errorRate: 0.3, seed: 7 });
    const failed = first.filter(outcome => outcome === 'transient').length;
    expect(failed).toBeGreaterThan(30);
    expect(failed).toBeLessThan(90);
    expect(await driver.list(aContext())).toHaveLength(200 - failed);
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
    expect(await driver.list(aContext())).toHaveLength(3);
    expect(await outcomes(3, {})).toEqual(['ok', 'ok', 'ok']);
    expect(await driver.list(aContext())).toHaveLength(3);
  });

  it('fails removals as often as asked; a group wins over its cluster', async () => {
    const node = aNode({ cluster: aCluster({ options: { failDelete: 0 } }), options: { failDelete: 1 } });
    await driver.node.create(aContext(), node);
    await expect(driver.node.delete(aContext(), refTo(node))).rejects.toMatchObject({ failure: 'transient' });
    expect(await driver.list(aContext())).toHaveLength(1);
  });

  it('refuses the first calls of a kind on each resource for good, also across a restart', async () => {
    const node = aNode({ options: { refuse: { 'node.create': 1, 'node.delete': 1 } } });
    await expect(driver.node.create(aContext(), node)).rejects.toMatchObject({ failure: 'permanent' });
    expect(await driver.list(aContext())).toEqual([]);
    await driver.close();
    await reopen();
    await driver.node.create(aContext(), node);
    await expect(driver.node.delete(aContext(), refTo(node))).rejects.toMatchObject({ failure: 'permanent' });
    await driver.node.delete(aContext(), refTo(node));
    expect(await driver.list(aContext())).toEqual([]);
  });

  it('converges, when tried again, on infrastructure that fails and lies', async () => {
    const options = { errorRate: 0.3, lostReplies: 0.3, failDelete: 0.3, failFirst: 1, seed: 3 };
    const cluster = aCluster({ options });
    const nodes = Array.from({ length: 20 }, () => aNode({ cluster }));
    for (const node of nodes) {
      await untilDone(() => driver.node.create(aContext(), node));
      await untilDone(() => driver.node.rebuild(aContext(), { ...node, generation: 2 }));
    }
    const units = await driver.list(aContext());
    expect(units.map(unit => unit.resourceId)).toEqual(nodes.map(node => node.id));
    expect(units.every(unit => unit.generation === 2 && unit.state === 'running')).toBe(true);
    for (const node of nodes) await untilDone(() => driver.node.delete(aContext(), refTo(node, 2)));
    expect(await driver.list(aContext())).toEqual([]);
  });

  it('shows a unit that is being built and never brings back one that was removed meanwhile', async () => {
    const node = aNode({ options: { latencyMs: { p50: 30, p99: 60 } } });
    const creating = driver.node.create(aContext(), node);
    creating.catch(() => undefined);
    expect(await driver.list(aContext())).toEqual([expect.objectContaining({ state: 'creating' })]);
    await driver.node.delete(aContext(), { ...refTo(node), options: {} });
    await expect(creating).rejects.toMatchObject({ failure: 'conflict' });
    expect(await driver.list(aContext())).toEqual([]);
  });

  it('keeps all it did in the journal, with task, attempt and generation, and no value of an environment', async () => {
    const task = { taskId: 't9', attempt: 3, generation: 1 };
    const node = aNode();
    const env = { TOKEN: 'do-not-write-me' };
    await driver.node.create(aContext({ task }), node);
    await driver.containers?.create(aContext(), aContainer({ clusterId: node.cluster.id, nodeId: node.id, env }));
    await driver.node.delete(aContext({ task }), refTo(node));
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

  it('never uses an infrastructure id again', async () => {
    const node = aNode();
    const { infrastructureId } = await driver.node.create(aContext(), node);
    await driver.node.delete(aContext(), refTo(node));
    await driver.close();
    await reopen();
    const again = await driver.node.create(aContext(), node);
    expect(again.infrastructureId).not.toBe(infrastructureId);
  });

  it('takes exactly the options of its manifest', () => {
    const good = { latencyMs: { p50: 1, p99: 2 }, failFirst: 1, errorRate: 0.1, capacity: { a: 1 }, seed: 's' };
    expect(validateOptions(manifest, good)).toEqual([]);
    expect(validateOptions(manifest, { latencyms: 1, errorRate: 2 })).toEqual([
      expect.objectContaining({ pointer: '/latencyms', code: 'unknown' }),
      expect.objectContaining({ pointer: '/errorRate', code: 'maximum' }),
    ]);
  });
});

async function untilDone(call: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; attempt <= 50; attempt++) {
    const [outcome] = await Promise.allSettled([call()]);
    if (outcome.status === 'fulfilled') return;
    expect(outcome.reason).toMatchObject({ failure: 'transient' });
  }
  throw new Error('50 attempts were not enough');
}

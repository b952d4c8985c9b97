import 'reflect-metadata';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readJournal } from '@stave/driver-fake';
import { eventually } from '@stave/testing';
import { startDistributed, type DistributedStack } from '../distributed/stack.js';
import { distributedAdapters } from './distributed-product.js';
import { mustBe, report, run } from './bench-report.js';

/**
 * `npm run bench -- takeover` measures, in separate processes, 200 fake nodes of 1 s each on three conductors, one of which is killed
 * with SIGKILL. Baseline: the session timeout of 8 s, after which a frozen conductor would be replaced, and one latency.
 */
const nodes = 200;
const latencyMs = 1_000;
const floorSeconds = (8_000 + latencyMs) / 1000;

async function built(stack: DistributedStack): Promise<Map<string, number>> {
  const created = new Map<string, number>();
  for await (const { kind, effect, resourceId = '' } of readJournal(stack.journalPath))
    if (kind === 'node' && effect === 'created') created.set(resourceId, (created.get(resourceId) ?? 0) + 1);
  return created;
}

async function active(stack: DistributedStack): Promise<number> {
  return (await stack.rest.list('/v1/nodes?limit=500&status=ACTIVE')).length;
}

interface Claim {
  readonly subject: string;
  readonly time: string;
  readonly data: { readonly conductor: string };
}

/** Returns the times of the claims with which others took over tasks of the conductor, in order. */
async function takeoversOf(stack: DistributedStack, conductor: string): Promise<readonly number[]> {
  const holders = new Map<string, string>();
  const times: number[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const path = `/v1/events?since=start&limit=500&type=stave.node.taskClaimed.v1${cursor && `&cursor=${cursor}`}`;
    const { body } = await stack.rest.call('GET', path);
    const page = body as { readonly items: readonly Claim[]; readonly nextCursor: string | null };
    for (const { subject, time, data } of page.items) {
      if (holders.get(subject) === conductor && data.conductor !== conductor) times.push(Date.parse(time));
      holders.set(subject, data.conductor);
    }
    cursor = page.nextCursor;
  }
  return times;
}

async function measure(stack: DistributedStack): Promise<void> {
  const nodeGroups = [{ name: 'workers', role: 'worker', count: nodes, flavor: { cpus: 1, memoryMb: 512 } }];
  const posted = performance.now();
  const { status } = await stack.rest.call('POST', '/v1/clusters', {
    name: 'bench',
    driver: 'fake',
    options: { latencyMs },
    nodeGroups,
  });
  mustBe(status === 202, `POST answers ${status}`);
  await eventually(async () => (await built(stack)).size >= 30, {
    timeoutMs: 30_000,
    everyMs: 10,
    what: 'nodes under way',
  });
  await stack.process('c2').kill('SIGKILL');
  const killed = performance.now();
  const killedAt = Date.now();
  const activeAtKill = await active(stack);
  mustBe(activeAtKill < nodes, 'all were there before the kill');
  await eventually(async () => (await active(stack)) === nodes, {
    timeoutMs: 60_000,
    everyMs: 50,
    what: `${nodes} ACTIVE`,
  });
  const seconds = (performance.now() - killed) / 1000;
  const created = await built(stack);
  const doubled = [...created.values()].filter(times => times > 1).length;
  mustBe(created.size === nodes && doubled === 0, `${created.size} nodes built, ${doubled} of them twice`);
  const taken = await takeoversOf(stack, 'c2');
  mustBe(taken.length > 0, 'no task was taken over');
  report('takeover', distributedAdapters, { nodes, latencyMs, activeAtKill, doubled, taken: taken.length }, [
    {
      figure: 'kill to the last claim taken over',
      value: (Math.max(...taken) - killedAt) / 1000,
      unit: 's',
      target: '<= 3 s',
      baseline: floorSeconds - latencyMs / 1000,
    },
    { figure: 'kill to all ACTIVE', value: seconds, unit: 's', target: '<= 15 s', baseline: floorSeconds },
    { figure: 'POST to all ACTIVE', value: (performance.now() - posted) / 1000, unit: 's' },
  ]);
}

run(async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'stave-bench-'));
  const conductors = ['c1', 'c2', 'c3'].map(id => ({ id, group: '' }));
  const stack = await startDistributed({ dataDir, conductors });
  try {
    await measure(stack);
  } finally {
    await stack.close();
    await rm(dataDir, { recursive: true, force: true });
  }
});

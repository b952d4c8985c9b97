import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { seeded, testSeed } from '@stave/platform/testing';
import { describeOn, eventually, ferretMissing, natsMissing } from '@stave/testing';
import { startDistributed, type DistributedStack } from '../../distributed/stack.js';
import { checkHistory } from '../check-history.js';
import { readHistory } from '../read-history.js';
import { runLifecycles, outcomeFor, outcomeOf } from './cluster-lifecycle.js';
import { Crasher } from './crasher.js';
import { RetryingClient } from './retrying-client.js';
import { remainingResources } from './expected-clusters.js';

const SERVICES = ['cluster-service', 'nodegroup-service', 'container-scheduler', 'api-gateway'];
const CLUSTERS = 3;
const PAUSE_MS = { least: 200, most: 1_200 };
const LEAST_DEATHS = 6;

describeOn(
  natsMissing() ?? ferretMissing(),
  'services with two replicas each, one of which is killed at random',
  () => {
    let dataDir: string;
    let stack: DistributedStack;
    let client: RetryingClient;

    beforeAll(async () => {
      dataDir = await mkdtemp(join(tmpdir(), 'stave-fault-replicas-'));
      stack = await startDistributed({
        dataDir,
        conductors: ['one', 'two'].map(id => ({ id, group: '' })),
        replicas: Object.fromEntries(SERVICES.map(name => [name, 2])),
        mongo: true,
        env: { REQUEST_TIMEOUT_MS: '2000' },
      });
      client = new RetryingClient(stack.urls, stack.adminKey);
    }, 120_000);

    afterAll(async () => {
      await stack?.close();
      await rm(dataDir, { recursive: true, force: true });
    }, 120_000);

    /** Checks the outcome of every round once the read models have caught up. */
    async function expectOutcome(ids: readonly string[]): Promise<void> {
      const wanted = outcomeFor(CLUSTERS);
      const there = async (): Promise<boolean> => isDeepStrictEqual(await outcomeOf(client, ids), wanted);
      await eventually(there, { timeoutMs: 60_000, everyMs: 100 }).catch(async (error: unknown) => {
        expect(await outcomeOf(client, ids)).toEqual(wanted);
        throw error;
      });
    }

    /** Runs rounds until enough replicas were killed; returns the cluster ids of each round. */
    async function runRounds(killer: Killer): Promise<readonly (readonly string[])[]> {
      const rounds: (readonly string[])[] = [];
      while (killer.killed.length < LEAST_DEATHS)
        rounds.push(await runLifecycles(client, `kills${rounds.length}-`, CLUSTERS));
      return rounds;
    }

    it('cluster life cycles have the same outcome with random kills of replicas as without', async () => {
      await expectOutcome(await runLifecycles(client, 'quiet', CLUSTERS));
      const seed = testSeed();
      console.info(`STAVE_TEST_SEED=${seed}`);
      const crasher = new Crasher(stack);
      const killer = new Killer(crasher, seeded(seed));
      const [rounds] = await Promise.all([runRounds(killer).finally(() => killer.stop()), killer.run()]);
      await crasher.settled();
      console.info(`${rounds.length} rounds, killed ${killer.killed.join(', ')}`);

      for (const ids of rounds) await expectOutcome(ids);
      for (const { id, name } of await client.list<{ id: string; name: string }>('/v1/clusters'))
        await client.succeeded('DELETE', `/v1/clusters/${id}`, `${name}-last`);
      const left = (): Promise<readonly string[]> => remainingResources(client, stack.journalPath);
      await eventually(async () => (await left()).length === 0).catch(async (error: unknown) => {
        expect(await left()).toEqual([]);
        throw error;
      });
      expect(checkHistory(await readHistory(stack))).toEqual([]);
    }, 180_000);
  },
);

/**
 * Kills one of the two replicas of a service at seeded times, and the other one of that service only after the first runs
 * again.
 */
class Killer {
  readonly killed: string[] = [];
  private stopped = false;

  constructor(
    private readonly crasher: Crasher,
    private readonly random: () => number,
  ) {}

  stop(): void {
    this.stopped = true;
  }

  async run(): Promise<void> {
    while (!this.stopped) {
      const { least, most } = PAUSE_MS;
      const until = performance.now() + least + this.random() * (most - least);
      const service = SERVICES[Math.floor(this.random() * SERVICES.length)] ?? '';
      const victim = this.random() < 0.5 ? service : `${service}-2`;
      await eventually(() => this.stopped || performance.now() >= until, { timeoutMs: most + 1_000 });
      await this.crasher.settled();
      if (this.stopped) return;
      this.killed.push(victim);
      this.crasher.crash(victim);
    }
  }
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeOn, natsMissing } from '@stave/testing';
import { startDistributed, type DistributedStack } from '../../distributed/stack.js';
import { checkHistory } from '../check-history.js';
import { readHistory } from '../read-history.js';
import { describeDrain } from './drain.suite.js';
import { describeFrozen } from './frozen.suite.js';
import { describeTakeover } from './takeover.suite.js';

/** Short sessions keep the suite short. */
const env = {
  HEARTBEAT_MS: '500',
  SESSION_TIMEOUT_MS: '3000',
  ORPHAN_SWEEP_MS: '1000',
  // the table holds more tasks of one project at a time than its share
  PROJECT_CONCURRENCY: '64',
};

describeOn(natsMissing(), 'conductors that fail, each in its own process', () => {
  let dataDir: string;
  let stack: DistributedStack;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'stave-fault-conductor-'));
    stack = await startDistributed({ dataDir, conductors: [], env });
  }, 120_000);

  afterAll(async () => {
    await stack?.close();
    await rm(dataDir, { recursive: true, force: true });
  }, 120_000);

  describeFrozen(
    () => stack,
    () => {
      describeTakeover(() => stack);
      describeDrain(() => stack);
    },
  );

  it('the history of all these failures breaks no promise', async () => {
    expect(checkHistory(await readHistory(stack))).toEqual([]);
  });
});

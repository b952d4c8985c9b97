import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeOn, natsMissing } from '@stave/testing';
import { startDistributed } from '../distributed/stack.js';
import type { Stack } from './stack.js';
import { describeProduct } from './product.suite.js';

jest.setTimeout(120_000);

async function start(): Promise<Stack> {
  const dataDir = await mkdtemp(join(tmpdir(), 'stave-e2e-distributed-'));
  const conductors = [
    { id: 'one', group: '' },
    { id: 'two', group: '' },
    { id: 'three', group: '' },
    { id: 'four', group: 'site-b' },
  ];
  const stack = await startDistributed({ dataDir, conductors, driversEnabled: ['fake', 'swarm_docker'] });
  return {
    url: stack.url,
    adminKey: stack.adminKey,
    journalPath: stack.journalPath,
    close: async () => {
      await stack.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

describeOn(natsMissing(), 'the product in separate processes', () => describeProduct(start));

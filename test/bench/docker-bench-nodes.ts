import { performance } from 'node:perf_hooks';
import type { DriverContext } from '@stave/driver-sdk';
import { EngineClient } from '@stave/docker';

/** The number of nodes of the measured run and of its baseline. */
export const nodeCount = 20;
export const atATime = 4;
export const image = 'stave/swarm-node:1';
export const megabyte = 2 ** 20;
export const flavor = { name: 'bench', cpus: 0.5, memoryMb: 256 };

export const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
export const ctx: DriverContext = {
  signal: new AbortController().signal,
  log: silent,
  now: () => performance.now(),
  secrets: { get: async () => undefined, put: async () => undefined, delete: async () => undefined },
  progress: () => undefined,
  task: { taskId: 'bench', attempt: 1, generation: 1 },
  checkpoint: () => undefined,
};
export const socket = (process.env['DOCKER_HOST'] ?? 'unix:///var/run/docker.sock').replace(/^unix:\/\//, '');
export const host = new EngineClient(socket);

export async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: atATime }, worker));
}

export async function seconds(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

export interface Member {
  readonly ID: string;
  readonly Version: { readonly Index: number };
  readonly Spec: object;
  readonly Status: { readonly State: string };
}

export async function checkReady(manager: EngineClient): Promise<void> {
  const members = await manager.read<Member[]>(ctx, '/nodes');
  const ready = members.filter(member => member.Status.State === 'ready').length;
  if (ready !== nodeCount) throw new Error(`${ready} of ${nodeCount} nodes are ready in the Swarm`);
}

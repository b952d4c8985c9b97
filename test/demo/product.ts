import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings, startAllInOne, type AllInOne } from '@stave/all-in-one';
import { EngineClient } from '@stave/docker';
import { freePort } from '@stave/testing';
import { ApiClient } from './api-client.js';
import { DockerInfrastructure, FakeInfrastructure, type Infrastructure } from './infrastructure.js';

type Environment = Readonly<Record<string, string | undefined>>;

export interface Product {
  readonly stave: AllInOne;
  readonly api: ApiClient;
  readonly infrastructure: Infrastructure;
  /** Ids of the conductors in the default group; `siteConductor` is in `site-b`. */
  readonly defaultConductors: readonly string[];
  readonly siteConductor: string;
  /** Stops everything, then calls `last`, then removes the directory. */
  close(last: () => Promise<void>): Promise<void>;
}

/** Chooses Docker where an engine answers, otherwise the fake cloud; `wanted` forces one of them. */
async function chooseInfrastructure(env: Environment, dataDir: string, wanted?: string): Promise<Infrastructure> {
  const host = env['DOCKER_HOST'] || 'unix:///var/run/docker.sock';
  const socketPath = host.replace(/^unix:\/\//, '');
  if (wanted === 'fake' || !host.startsWith('unix://')) return new FakeInfrastructure(dataDir, wanted === 'fake');
  const caller = { signal: new AbortController().signal, checkpoint: () => undefined };
  try {
    await new EngineClient(socketPath).read(caller, '/_ping', { timeoutMs: 2_000 });
  } catch (cause) {
    if (wanted !== undefined)
      throw new Error(`no Docker Engine answers at ${host}; start one or run the demonstration with the fake cloud`, {
        cause,
      });
    return new FakeInfrastructure(dataDir, false);
  }
  return new DockerInfrastructure(socketPath);
}

/** Starts the product with two conductors in the default group and one in `site-b`. */
export async function startProduct(env: Environment, wanted?: string): Promise<Product> {
  const dataDir = await mkdtemp(join(tmpdir(), 'stave-demo-'));
  const infrastructure = await chooseInfrastructure(env, dataDir, wanted);
  const settings = readSettings({
    ...env,
    PORT: String(await freePort()),
    HOST: '127.0.0.1',
    DATA_DIR: dataDir,
    CONDUCTOR_GROUPS: ',site-b',
    DRIVERS_ENABLED: infrastructure.driver,
    LOG_LEVEL: 'error',
  });
  const stave = await startAllInOne(settings);
  await stave.addConductor('conductor-2', '');
  return {
    stave,
    infrastructure,
    api: new ApiClient(stave.url, (await readFile(stave.adminKeyFile, 'utf8')).trim()),
    defaultConductors: ['conductor', 'conductor-2'],
    siteConductor: 'conductor-1',
    close: async last => {
      await stave.close();
      await last();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings, startAllInOne, type AllInOne } from '@stave/all-in-one';
import { freePort } from '@stave/testing';
import { ApiClient } from '../demo/api-client.js';

/** Benches send from one client, which a limit would measure instead of the product. */
export const withoutLimits = { RATE_LIMIT_PER_KEY: '0', RATE_LIMIT_PER_ADDRESS: '0' } as const;

export interface EmbeddedProduct {
  readonly stave: AllInOne;
  readonly api: ApiClient;
  readonly key: string;
  readonly dataDir: string;
  /** Stops the product; its directory remains until `remove`. */
  close(): Promise<void>;
  remove(): Promise<void>;
}

/** Starts the product in this process with the driver `fake` and a temporary directory. */
export async function startEmbedded(groups = ''): Promise<EmbeddedProduct> {
  const dataDir = await mkdtemp(join(tmpdir(), 'stave-bench-'));
  const stave = await startAllInOne(
    readSettings({
      PORT: String(await freePort()),
      DATA_DIR: dataDir,
      CONDUCTOR_GROUPS: groups,
      DRIVERS_ENABLED: 'fake',
      LOG_LEVEL: 'error',
      ...withoutLimits,
    }),
  );
  const key = (await readFile(stave.adminKeyFile, 'utf8')).trim();
  return {
    stave,
    api: new ApiClient(stave.url, key),
    key,
    dataDir,
    close: () => stave.close(),
    remove: () => rm(dataDir, { recursive: true, force: true }),
  };
}

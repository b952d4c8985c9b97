import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot, StaveClient } from '@stave/testing';
import { EmbeddedStack } from './stack.js';

jest.setTimeout(120_000);

describe("the rotation of the administrator's key", () => {
  it('the start after a rotation registers the new key and revokes the former one', async () => {
    const before = await EmbeddedStack.start();
    const command = join(repositoryRoot(), 'apps', 'cluster-service', 'dist', 'rotate-admin-key.main.js');
    const rotated = await promisify(execFile)(process.execPath, [command, join(before.dataDir, 'admin.key')]);
    expect(rotated.stdout).toContain('restart');
    await before.end('SIGTERM');
    const after = await EmbeddedStack.start(before.dataDir);
    try {
      expect(after.adminKey).not.toBe(before.adminKey);
      const status = async (key: string): Promise<number> =>
        (await new StaveClient(after.url, key).get('/v1/whoami')).status;
      expect([await status(after.adminKey), await status(before.adminKey)]).toEqual([200, 401]);
    } finally {
      await after.close();
    }
  });
});

import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Fleet } from './fleet.js';
import { EmbeddedStack } from './stack.js';

jest.setTimeout(240_000);

it('the product writes files that only its user can read and change, whatever the mask of its process', async () => {
  const before = process.umask(0);
  const product = await EmbeddedStack.start().finally(() => process.umask(before));
  try {
    const fleet = new Fleet(product);
    await fleet.cluster({}, [{ count: 1 }]);
    await product.end('SIGTERM');
    const entries = await readdir(product.dataDir, { recursive: true, withFileTypes: true });
    const files = entries.filter(entry => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    for (const known of ['events.log', 'admin.key', 'journal.jsonl'])
      expect(files.map(file => file.split('/').at(-1))).toContain(known);
    const modes = await Promise.all(files.map(async file => [file, ((await stat(file)).mode & 0o777).toString(8)]));
    expect(modes.filter(([, mode]) => mode !== '600')).toEqual([]);
  } finally {
    await rm(product.dataDir, { recursive: true, force: true });
  }
});

import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { administratorKey } from './administrator-key.js';

describe("the administrator's key", () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'stave-key-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('creates one key for concurrent processes, readable by its owner only', async () => {
    const file = join(directory, 'deep', 'admin.key');
    const keys = await Promise.all(Array.from({ length: 20 }, () => administratorKey(file)));
    expect(new Set(keys).size).toBe(1);
    expect(await administratorKey(file)).toBe(keys[0]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(directory, 'deep'))).toEqual(['admin.key']);
  });

  it('returns the key that the file contains, and rejects for an empty file', async () => {
    const file = join(directory, 'admin.key');
    await writeFile(file, ' mine\n');
    expect(await administratorKey(file)).toBe('mine');
    await writeFile(file, '\n');
    await expect(administratorKey(file)).rejects.toThrow('is empty');
  });
});

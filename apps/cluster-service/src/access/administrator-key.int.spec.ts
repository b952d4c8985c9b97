import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { administratorKey, formerKeyHashes, rotateAdministratorKey } from './administrator-key.js';
import { hashOf } from './secrets.js';

describe("the administrator's key", () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'stave-key-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  it("concurrent processes create one administrator's key, which only the owner of the file can read", async () => {
    const file = join(directory, 'deep', 'admin.key');
    const keys = await Promise.all(Array.from({ length: 20 }, () => administratorKey(file)));
    expect(new Set(keys).size).toBe(1);
    expect(await administratorKey(file)).toBe(keys[0]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(directory, 'deep'))).toEqual(['admin.key']);
  });

  const strong = 'abcdefghijklmnopqrstuvwxyz0123456789';

  it("the administrator's key is read from its file, and an empty file or a weak key is an error", async () => {
    const file = join(directory, 'admin.key');
    await writeFile(file, ` ${strong}\n`, { mode: 0o600 });
    expect(await administratorKey(file)).toBe(strong);
    await writeFile(file, '\n');
    await expect(administratorKey(file)).rejects.toThrow('is empty');
    for (const weak of ['mine', 'a'.repeat(64), `${strong} ${strong}`]) {
      await writeFile(file, weak);
      await expect(administratorKey(file)).rejects.toThrow('weak key');
    }
  });

  it('a file that is a symbolic link, a directory, or open to others is refused and left as it is', async () => {
    const file = join(directory, 'admin.key');
    await writeFile(join(directory, 'other'), strong, { mode: 0o600 });
    await symlink(join(directory, 'other'), file);
    await expect(administratorKey(file)).rejects.toThrow('symbolic link');
    await rm(file);
    await symlink(join(directory, 'absent'), file);
    await expect(administratorKey(file)).rejects.toThrow('symbolic link');
    await rm(file);
    await mkdir(file);
    await expect(administratorKey(file)).rejects.toThrow('is not a file');
    await rm(file, { recursive: true });
    await writeFile(file, strong, { mode: 0o600 });
    for (const mode of [0o640, 0o604, 0o620]) {
      await chmod(file, mode);
      await expect(administratorKey(file)).rejects.toThrow('chmod 600');
    }
    expect(await readFile(file, 'utf8')).toBe(strong);
  });

  it('a rotation replaces the key, keeps only the hash of the former one, and is refused where there is no key', async () => {
    const file = join(directory, 'admin.key');
    await expect(rotateAdministratorKey(file)).rejects.toThrow('does not exist');
    const first = await administratorKey(file);
    await rotateAdministratorKey(file);
    const second = await administratorKey(file);
    expect(second).not.toBe(first);
    expect(await formerKeyHashes(file)).toEqual([hashOf(first)]);
    for (const name of await readdir(directory)) expect((await stat(join(directory, name))).mode & 0o777).toBe(0o600);
    await writeFile(file, first);
    await expect(administratorKey(file)).rejects.toThrow('rotated out');
    await rotateAdministratorKey(file);
    expect(await formerKeyHashes(file)).toContain(hashOf(first));
  });
});

import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SecretFiles } from './secret-files.js';

let root = '';
let files: SecretFiles;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'stave-secrets-'));
  await mkdir(join(root, 'projects', 'p-1'), { recursive: true });
  await mkdir(join(root, 'projects', 'shop'));
  files = new SecretFiles(root);
});
afterEach(() => rm(root, { recursive: true }));

const put = (path: string, text: string | Buffer): Promise<void> => writeFile(join(root, 'projects', path), text);

it('a secret is read by the id of its project, else by its name, without the last line break', async () => {
  await put('shop/token', 'by name\n\n');
  expect(await files.read(['p-1', 'shop'], 'token')).toBe('by name\n');
  await put('p-1/token', 'by id\r\n');
  expect(await files.read(['p-1', 'shop'], 'token')).toBe('by id');
  expect(await files.read(['other'], 'token')).toBeUndefined();
  expect(await new SecretFiles(undefined).read(['shop'], 'token')).toBeUndefined();
});

it('the secrets of a project are not read for another one whose name is the id of the first', async () => {
  const id = '3f0c1b52-7f0e-4f4e-9a51-0d8f5ad2a001';
  await mkdir(join(root, 'projects', id));
  await put(`${id}/token`, 'of the first');
  expect(await files.read([id, 'shop'], 'token')).toBe('of the first');
  for (const name of [id, id.toUpperCase()]) expect(await files.read(['p-9', name], 'token')).toBeUndefined();
});

it.each(['../shop/token', '.hidden', 'a/b', '', 'Upper', 'x'.repeat(64), '..'])(
  'the name %j is none of a secret',
  async name => {
    await put('shop/token', 'value');
    expect(await files.read(['shop'], name)).toBeUndefined();
    expect(await files.read([`../projects/shop`, '..', '.', ''], 'token')).toBeUndefined();
  },
);

it('no link is followed, neither of a file nor of a directory, and a directory is no secret', async () => {
  await put('shop/token', 'value of another');
  await symlink(join(root, 'projects', 'shop', 'token'), join(root, 'projects', 'p-1', 'token'));
  await symlink(join(root, 'projects', 'shop'), join(root, 'projects', 'linked'));
  await mkdir(join(root, 'projects', 'p-1', 'folder'));
  expect(await files.read(['p-1'], 'token')).toBeUndefined();
  expect(await files.read(['linked'], 'token')).toBeUndefined();
  expect(await files.read(['p-1'], 'folder')).toBeUndefined();
});

it('a directory that is a link itself is an ordinary setting', async () => {
  await put('shop/token', 'value');
  const link = `${root}-link`;
  await symlink(root, link);
  expect(await new SecretFiles(link).read(['shop'], 'token')).toBe('value');
  await rm(link);
});

it('a file that is too large is refused', async () => {
  await put('shop/large', Buffer.alloc(64 * 1024 + 1, 'a'));
  await expect(files.read(['shop'], 'large')).rejects.toMatchObject({ failure: 'permanent', code: 'secret-unusable' });
});

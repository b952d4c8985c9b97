import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describeOn } from '@stave/driver-sdk/testing';

const run = promisify(execFile);
const script = join(__dirname, '..', 'image', 'get-image.sh');
const content = Buffer.from('an image of a node');
const missing = ['bash', 'curl', 'xz'].filter(program => spawnSync(program, ['--version']).error !== undefined);
const sha256 = (data: Buffer): string => createHash('sha256').update(data).digest('hex');

const without = missing.length > 0 ? `install ${missing.join(', ')}` : undefined;

describeOn(without, 'the script that gets the image of nodes', () => {
  let server: Server;
  let base: string;
  let directory: string;
  let files: Record<string, Buffer>;
  let requests: string[];

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'stave-image-'));
    files = { '/node.qcow2': content };
    requests = [];
    server = createServer((request, answer) => {
      const { url = '' } = request;
      requests.push(url);
      const file = files[url];
      answer.writeHead(file ? 200 : 404).end(file);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    server.close();
    server.closeAllConnections();
    await rm(directory, { recursive: true });
  });

  /** Runs the script, and returns what it prints. Throws with its messages when it fails. */
  async function get(url: string, checksums: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
    const { stdout } = await run(script, ['fedora', `${base}${url}`, checksums], {
      env: { ...process.env, STAVE_CACHE: directory, ...env },
    });
    return stdout.trim();
  }
  const kept = async (): Promise<readonly string[]> => readdir(join(directory, 'images')).catch(() => []);

  it.each([
    ['its SHA-256', () => sha256(content)],
    ['a list as sha256sum writes it', () => `${'0'.repeat(64)} *other.qcow2\n${sha256(content)} *node.qcow2\n`],
    [
      'a list as Fedora signs it',
      () => `-----BEGIN PGP SIGNED MESSAGE-----\n# node.qcow2: 18 bytes\nSHA256 (node.qcow2) = ${sha256(content)}\n`,
    ],
  ])('downloads the image once, and compares it with %s', async (_, checksums) => {
    const text = checksums();
    files['/list'] = Buffer.from(text);
    const given = text.includes('\n') ? `${base}/list` : text;
    const file = await get('/node.qcow2', given);
    expect(await readFile(file)).toEqual(content);
    expect(await get('/node.qcow2', given)).toBe(file);
    expect(requests.filter(path => path === '/node.qcow2')).toHaveLength(1);
    expect(await kept()).toHaveLength(1);
  });

  it('unpacks an image that is compressed', async () => {
    const { stdout: packed } = spawnSync('xz', ['-c'], { input: content });
    files['/node.qcow2.xz'] = packed;
    expect(await readFile(await get('/node.qcow2.xz', sha256(packed)))).toEqual(content);
    expect(await kept()).toHaveLength(1);
  });

  it.each([
    ['another content', '/node.qcow2', '0'.repeat(64), 'does not have the SHA-256'],
    ['no such image', '/none.qcow2', '0'.repeat(64), 'cannot download'],
    ['a list without the image', '/node.qcow2', 'list', 'has no SHA-256 of node.qcow2'],
    ['no such list', '/node.qcow2', 'none', 'cannot download'],
  ])('keeps nothing and says why: %s', async (_, url, checksums, reason) => {
    files['/list'] = Buffer.from(`${sha256(content)} *other.qcow2\n`);
    const given = checksums.length === 64 ? checksums : `${base}/${checksums}`;
    await expect(get(url, given)).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining(reason) });
    expect(await kept()).toEqual([]);
  });

  it('takes an image of the user, and a mirror together with its checksums only', async () => {
    const own = join(directory, 'own.qcow2');
    await writeFile(own, 'own');
    expect(await get('/none', 'none', { IMAGE_FILE: own })).toBe(own);
    const mirror = { IMAGE_URL: `${base}/node.qcow2` };
    const message = expect.stringContaining('IMAGE_URL needs IMAGE_CHECKSUMS');
    await expect(get('/none', 'none', mirror)).rejects.toMatchObject({ stderr: message });
    const complete = { ...mirror, IMAGE_CHECKSUMS: sha256(content) };
    expect(await readFile(await get('/none', 'none', complete))).toEqual(content);
  });
});

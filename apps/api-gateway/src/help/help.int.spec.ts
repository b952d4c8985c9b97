import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import Fastify, { type FastifyInstance } from 'fastify';
import { createLogger } from '@stave/platform';
import { serveHelp } from './serve-help.js';

const page =
  '<!doctype html><title>Help</title><script id="theme">let a = 1</script><script src="/help/assets/app.js"></script>';

describe('the help', () => {
  let directory: string;
  let fastify: FastifyInstance;

  beforeEach(async () => {
    directory = join(await mkdtemp(join(tmpdir(), 'stave-help-')), 'dist');
    fastify = Fastify();
    serveHelp(fastify, createLogger('test', 'silent'), directory);
  });
  afterEach(async () => {
    await fastify.close();
    await rm(join(directory, '..'), { recursive: true });
  });

  async function build(): Promise<void> {
    await mkdir(join(directory, 'assets'), { recursive: true });
    await writeFile(join(directory, 'index.html'), page);
    await writeFile(join(directory, 'assets', 'app.js'), 'started()');
    await writeFile(join(directory, 'assets', 'app.js.br'), brotliCompressSync('started()'));
    await writeFile(join(directory, '..', 'secret.txt'), 'secret');
  }

  it('says how it is built while it is not, and is served as soon as it is', async () => {
    const missing = await fastify.inject('/help/');
    expect([missing.statusCode, missing.json().detail]).toEqual([404, expect.stringContaining('npm run docs')]);
    await build();
    const answer = await fastify.inject('/help/');
    expect([answer.statusCode, answer.body, answer.headers['content-type']]).toEqual([
      200,
      page,
      'text/html; charset=utf-8',
    ]);
  });

  it('allows the scripts inside its pages by their hashes, and no others', async () => {
    await build();
    const { headers } = await fastify.inject('/help/');
    const policy = String(headers['content-security-policy']);
    expect(policy.match(/script-src [^;]*/)?.[0]).toBe(
      "script-src 'self' 'sha256-LAfYd7pbFUgwfQu8b4q135PeTG2z+/coPEUYCd74eCQ='",
    );
  });

  it('sends the compressed copy of a file to who takes it, and lets it be kept', async () => {
    await build();
    const answer = await fastify.inject({ url: '/help/assets/app.js', headers: { 'accept-encoding': 'br' } });
    expect([answer.statusCode, brotliDecompressSync(answer.rawPayload).toString()]).toEqual([200, 'started()']);
    expect(answer.headers).toMatchObject({
      'content-encoding': 'br',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'application/javascript; charset=utf-8',
    });
    expect((await fastify.inject('/help/assets/app.js')).body).toBe('started()');
  });

  it.each(['/help/../secret.txt', '/help/..%2fsecret.txt', '/help/assets/%2e%2e/%2e%2e/secret.txt', '/help/none.html'])(
    'has no file outside its directory: %s',
    async path => {
      await build();
      const answer = await fastify.inject(path);
      expect([answer.statusCode, answer.body === 'secret']).toEqual([404, false]);
    },
  );

  it('sends a part of a file, and refuses one that the file does not have with its size', async () => {
    await build();
    const part = (range: string) => fastify.inject({ url: '/help/assets/app.js', headers: { range } });
    const first = await part('bytes=0-4');
    expect([first.statusCode, first.body, first.headers['content-range']]).toEqual([206, 'start', 'bytes 0-4/9']);
    const none = await part('bytes=9-');
    expect([none.statusCode, none.headers['content-range']]).toEqual([416, 'bytes */9']);
    expect(none.json()).toMatchObject({ status: 416, title: 'Range Not Satisfiable' });
  });

  it('leads from /help to its first page', async () => {
    const answer = await fastify.inject('/help');
    expect([answer.statusCode, answer.headers.location]).toEqual([308, '/help/']);
  });
});

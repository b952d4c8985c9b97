import { build } from 'esbuild';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { json, ScriptedServer, stream } from './scripted-server.fixture.js';

const LIMIT_BYTES = 10_000;

/** Returns the minified runtime with all that it imports. Fails when it imports a module of Node.js. */
async function bundled(format: 'esm' | 'iife'): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(__dirname, 'index.ts')],
    bundle: true,
    minify: true,
    write: false,
    platform: 'browser',
    target: 'es2022',
    format,
    globalName: 'stave',
  });
  return outputFiles[0]?.text ?? '';
}

describe('the runtime of the client', () => {
  it('the minified runtime has 10,000 bytes at most', async () => {
    const { length } = Buffer.from(await bundled('esm'));
    expect(length).toBeGreaterThan(1_000);
    expect(length).toBeLessThanOrEqual(LIMIT_BYTES);
  });

  it('the runtime needs only what browsers have, and no secure context', async () => {
    const event = { id: 'e', position: '1', data: {} };
    const server = await ScriptedServer.start(
      json({ id: 'a' }, { location: '/v1/operations/c-1' }, 202),
      json({ id: 'c-1', status: 'SUCCEEDED' }),
      stream([`id: 1\ndata: ${JSON.stringify(event)}\n\n`], 'open'),
    );
    const { getRandomValues } = crypto;
    const web = { AbortController, TextDecoder, URL, URLSearchParams, performance, setTimeout, clearTimeout };
    const context = createContext({
      ...web,
      fetch,
      Uint8Array,
      crypto: { getRandomValues: getRandomValues.bind(crypto) },
      address: server.url,
    });
    runInContext(await bundled('iife'), context);
    const result: unknown = await runInContext(
      `(async () => {
        const client = new stave.StaveClient({ url: address, token: 't' });
        const accepted = await client.post('/v1/clusters', { body: { driver: 'fake' } });
        const { status } = await client.wait(accepted);
        for await (const { position } of client.events()) return status + ' ' + position;
      })()`,
      context,
    );
    expect(result).toBe('SUCCEEDED 1');
    await server.close();
  });
});

import { join } from 'node:path';
import { chromiumMissing, chromiumProgram, describeOn, repositoryRoot, uniqueName } from '@stave/testing';
import { build } from 'esbuild';
import { chromium, type Browser, type Page } from 'playwright-core';
import { EmbeddedStack } from '../e2e/stack.js';

jest.setTimeout(240_000);

/** The client as a script of a page, which gives it the name `client`. */
async function clientScript(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(repositoryRoot(), 'libs/client/src/index.ts')],
    bundle: true,
    write: false,
    platform: 'browser',
    target: 'es2022',
    format: 'iife',
    globalName: 'client',
  });
  return outputFiles[0]?.text ?? '';
}

describeOn(chromiumMissing(), '@stave/client in a browser', () => {
  let stack: EmbeddedStack;
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    stack = await EmbeddedStack.start();
    browser = await chromium.launch({ executablePath: chromiumProgram() ?? '' });
    // the page is a plain answer of the product; its policy allows no request of a script
    const context = await browser.newContext({ bypassCSP: true });
    await context.addInitScript({ content: `${await clientScript()}; globalThis.client = client;` });
    page = await context.newPage();
    await page.goto(`${stack.url}/healthz`);
  });
  afterAll(async () => {
    await browser?.close();
    await stack?.close();
  });

  /** Runs statements in the page, in which `stave` is a client that is signed in and `name` is a free name. */
  const inPage = <T>(statements: string): Promise<T> => {
    const options = JSON.stringify({ url: stack.url, token: stack.adminKey });
    return page.evaluate<T>(`(async () => {
      const stave = new client.StaveClient(${options});
      const name = ${JSON.stringify(uniqueName('web'))};
      ${statements}
    })()`);
  };
  const CREATE = `
    const group = { name: 'w', role: 'worker', count: 1, flavor: { cpus: 1, memoryMb: 512 } };
    const made = await stave.post('/v1/clusters', { body: { name, driver: 'fake', nodeGroups: [group] } });
    const operation = await stave.wait(made);
    const path = { id: made.data.id };`;

  it('a cluster is created, awaited, read by pages, and changed with its ETag only', async () => {
    const seen = await inPage(`${CREATE}
      const names = [];
      for await (const item of stave.items('/v1/clusters', { query: { 'name~': name, limit: 1 } })) names.push(item.name === name);
      const { etag } = await stave.get('/v1/clusters/{id}', { path });
      const change = { path, body: { description: 'one' }, ifMatch: etag };
      await stave.wait(await stave.patch('/v1/clusters/{id}', change));
      const late = await stave.patch('/v1/clusters/{id}', { ...change, body: { description: 'two' } }).catch(error => error);
      return [operation.status, names, late instanceof client.ProblemError, late.status, late.code];`);
    expect(seen).toEqual(['SUCCEEDED', [true], true, 412, 'revision-mismatch']);
  });

  it('a plan changes nothing before it is applied, and events are followed from a position', async () => {
    const seen = await inPage(`${CREATE}
      const groupPath = '/v1/clusters/{clusterId}/node-groups/{id}';
      const target = { path: { clusterId: path.id, id: 'w' } };
      const plan = await stave.plan('patch', groupPath, { ...target, body: { count: 2 } });
      const before = (await stave.get(groupPath, target)).data.count;
      await stave.wait(await plan.apply());
      const after = (await stave.get(groupPath, target)).data.count;
      const types = [];
      for await (const { type } of stave.events({ from: 'start', cluster: path.id })) {
        types.push(type);
        if (type.startsWith('stave.nodeGroup.resized') || type.startsWith('stave.nodeGroup.updated')) break;
      }
      return [before, after, types[0]];`);
    expect(seen).toEqual([1, 2, 'stave.cluster.created.v1']);
  });

  it('a request that is refused for a time is repeated after the time that was asked, with the same key', async () => {
    const asked: { readonly key: string | undefined; readonly at: number }[] = [];
    await page.route('**/v1/clusters', async route => {
      asked.push({ key: route.request().headers()['idempotency-key'], at: performance.now() });
      if (asked.length > 1) return route.continue();
      return route.fulfill({ status: 503, headers: { 'retry-after': '1' }, body: '' });
    });
    expect(await inPage(`${CREATE} return operation.status;`)).toBe('SUCCEEDED');
    const [first, second, ...more] = asked;
    expect(more).toEqual([]);
    expect(first?.key).toMatch(/./);
    expect(second?.key).toBe(first?.key);
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(1_000);
  });
});

import { chromiumMissing, describeOn, expectStatus } from '@stave/testing';
import type { Page } from 'playwright-core';
import { axeViolations } from './console-browser.js';
import { consoleProduct, WAIT } from './console-product.js';

jest.setTimeout(240_000);

const CLUSTERS = 120;

describeOn(chromiumMissing(), 'the console in a browser', () => {
  const product = consoleProduct();
  const { open, signedIn } = product;
  let shop: string;

  beforeAll(async () => {
    ({ id: shop } = await product.fleet.cluster({ name: 'shop', labels: { env: 'prod' } }, [
      { count: 6, zones: ['a', 'b', 'c'] },
    ]));
    const nodeFault = { code: 'no-valid-host', times: 1_000 };
    expectStatus(await product.fleet.ask({ name: 'broken', options: { nodeFault } }, [{ count: 2 }]), 202);
    await Promise.all(
      Array.from({ length: CLUSTERS }, (_, n) =>
        product.fleet.cluster({ name: `edge-${String(n).padStart(3, '0')}` }, []),
      ),
    );
  });

  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

  it('the sign-in page is accessible, refuses a wrong key, and no storage of the browser holds the right one', async () => {
    const browser = await open();
    const page = await browser.page();
    await page.getByLabel('API key').waitFor(WAIT);
    expect(await axeViolations(page)).toEqual([]);
    await page.getByLabel('API key').fill('stv_wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('This key is unknown, expired or revoked.').waitFor(WAIT);
    await page.getByLabel('API key').fill(product.stack.adminKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await heading(page, 'Overview').waitFor(WAIT);
    const stored = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])');
    expect(stored).not.toContain(product.stack.adminKey);
    expect(await browser.context.cookies()).toEqual([]);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor(WAIT);
  });

  it('seven pages share one event stream and one sign-in, and each shows a cluster as it is built', async () => {
    const browser = await open();
    const pages = [await browser.signedIn(product.stack.adminKey, '/clusters?name=live-')];
    for (let more = 0; more < 6; more++) pages.push(await browser.page('/clusters?name=live-'));
    for (const page of pages) await page.getByText('live', { exact: true }).waitFor(WAIT);
    const { id } = await product.fleet.cluster({ name: 'live-one' }, [{ count: 1 }]);
    for (const page of pages) {
      await page.getByRole('button', { name: /new: show/ }).click(WAIT);
      await page.getByRole('link', { name: 'live-one' }).waitFor(WAIT);
      await page
        .getByRole('row', { name: /live-one/ })
        .getByText('active')
        .waitFor(WAIT);
    }
    await product.fleet.api.succeed(product.fleet.api.delete(`/v1/clusters/${id}`));
    for (const page of pages)
      await page.getByRole('link', { name: 'live-one' }).waitFor({ state: 'detached', ...WAIT });
    expect(browser.requests.filter(request => request.url().includes('/v1/events'))).toEqual([]);
  });

  it('the server filters and sorts, the address keeps both, and the table holds the rows on the screen', async () => {
    const page = await signedIn('/clusters');
    const table = page.getByRole('table', { name: 'Clusters' });
    await table.waitFor(WAIT);
    expect(Number(await table.getAttribute('aria-rowcount'))).toBe(CLUSTERS + 3);
    expect(await table.getByRole('row').count()).toBeLessThan(40);
    await page.keyboard.press('/');
    await page.keyboard.type('edge-07');
    await page.getByText('10 clusters, 10 read').waitFor(WAIT);
    await table.getByRole('button', { name: 'Name' }).click();
    await table.getByRole('row').nth(1).getByText('edge-079').waitFor(WAIT);
    expect(page.url()).toMatch(/[?&]name=edge-07&sort=-name$|[?&]sort=-name&name=edge-07$/);
  });

  it('keys lead to pages and through rows, and not while one types', async () => {
    const page = await signedIn();
    await heading(page, 'Overview').waitFor(WAIT);
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await page.getByRole('row', { name: /broken/ }).waitFor(WAIT);
    const filter = page.getByRole('searchbox');
    await filter.fill('shop');
    await page.getByText('1 cluster, 1 read').waitFor(WAIT);
    await filter.press('g');
    await filter.press('f');
    expect(page.url()).toContain('/clusters');
    await filter.fill('shop');
    await filter.press('Escape');
    await page.getByRole('link', { name: 'shop' }).focus();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await heading(page, 'shop').waitFor(WAIT);
  });

  it('a resize shows its plan, and a plan that is stale is made again before it is applied', async () => {
    const { id } = await product.fleet.cluster({ name: 'planned' }, [{ name: 'w', count: 1 }]);
    const page = await signedIn(`/clusters/${id}`);
    await page.getByRole('button', { name: 'Resize w' }).click();
    await page.getByLabel('Nodes of w').fill('3');
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.getByText('w-2').waitFor(WAIT);
    await product.fleet.api.succeed(product.fleet.api.patch(`/v1/clusters/${id}/node-groups/w`, { count: 2 }));
    await page.getByRole('button', { name: 'Apply exactly this' }).click();
    await page.getByText('The state has moved since the plan was made').waitFor(WAIT);
    expect((await product.fleet.group(id)) as unknown).toMatchObject({ count: 2 });
    await page.getByRole('button', { name: 'Apply exactly this' }).click();
    await page.waitForURL(/\/operations\//, WAIT);
    await page.getByText('succeeded').waitFor(WAIT);
    expect((await product.fleet.nodes(id)).map(({ name }) => name)).toEqual(['w-0', 'w-1', 'w-2']);
  });

  it('the slider shows the cluster as it was, under a banner that leads back', async () => {
    const { id } = await product.fleet.cluster({ name: 'past' }, [{ count: 1 }]);
    const before = new Date().toISOString();
    await product.fleet.api.succeed(product.fleet.api.patch(`/v1/clusters/${id}/node-groups/w`, { count: 2 }));
    await product.fleet.settled(id, 2);
    const page = await signedIn(`/clusters/${id}?at=${before}`);
    await page.getByText('1 of 1 nodes ready').waitFor(WAIT);
    await page.getByRole('button', { name: 'Back to now' }).click();
    await page.getByText('2 of 2 nodes ready').waitFor(WAIT);
    await page.getByRole('navigation', { name: 'Parts of past' }).getByRole('link', { name: 'History' }).click();
    await page.keyboard.press('@');
    await page.getByRole('slider').focus();
    await page.keyboard.press('Home');
    await page.getByText('As it was at').waitFor(WAIT);
  });

  it('the page comes in 250 kB of scripts and 45 kB of styles, named by their content and kept for good', async () => {
    const text = await (await fetch(`${product.stack.url}/console/`)).text();
    expect(text).not.toMatch(/<script(?![^>]* src=)/);
    const names = [...text.matchAll(/\/console\/(assets\/[^"]+)/g)].map(match => match[1] ?? '');
    const sizes = { js: 0, css: 0 };
    for (const name of await allAssets(names)) {
      const answer = await fetch(`${product.stack.url}/console/${name}`, { headers: { 'accept-encoding': 'gzip' } });
      expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      sizes[name.endsWith('.css') ? 'css' : 'js'] += Number(answer.headers.get('content-length'));
    }
    expect(sizes.js).toBeGreaterThan(50_000);
    expect(sizes.js).toBeLessThan(250_000);
    expect(sizes.css).toBeLessThan(45_000);
    const lost = await fetch(`${product.stack.url}/console/assets/lost.js`);
    expect([lost.status, lost.headers.get('content-type')]).toEqual([404, 'application/problem+json; charset=utf-8']);
  });

  /** Adds what the scripts load later. */
  async function allAssets(names: readonly string[]): Promise<readonly string[]> {
    const found = new Set(names);
    for (const name of found) {
      if (!name.endsWith('.js')) continue;
      const text = await (await fetch(`${product.stack.url}/console/${name}`)).text();
      for (const [, file = ''] of text.matchAll(/["'`/](?:assets\/|\.\/)?([\w.-]+-[\w-]{8}\.(?:js|css))/g))
        found.add(`assets/${file}`);
    }
    return [...found];
  }

  it('a product that is killed and comes back leaves the pages as they are, and they become live again', async () => {
    const page = await signedIn(`/clusters/${shop}`);
    await heading(page, 'shop').waitFor(WAIT);
    await page.getByText('live', { exact: true }).waitFor(WAIT);
    const startAgain = await product.kill();
    await page.getByText('reconnecting').waitFor(WAIT);
    await heading(page, 'shop').waitFor(WAIT);
    await startAgain();
    await page.getByText('live', { exact: true }).waitFor(WAIT);
    await product.fleet.api.succeed(product.fleet.api.patch(`/v1/clusters/${shop}/node-groups/w`, { count: 7 }));
    await page.getByText('7 of 7 nodes ready').waitFor(WAIT);
  });
});

import { chromiumMissing, describeOn } from '@stave/testing';
import type { Page, Route } from 'playwright-core';
import { axeViolations, type ConsoleBrowser } from './console-browser.js';
import { consoleProduct, WAIT } from './console-product.js';

jest.setTimeout(240_000);

/** Less than the time after which a script is read again. */
const ATTEMPT_MS = 300;
const FLEET = /\/console\/assets\/fleet-[^/]*\.js/;
const START = /\/console\/assets\/start-[^/]*\.js/;

describeOn(chromiumMissing(), 'a console whose files or answers do not come', () => {
  const product = consoleProduct();
  const { open } = product;

  beforeAll(async () => {
    await product.fleet.cluster({ name: 'slow' }, [{ count: 1 }]);
  });

  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
  const go = (page: Page, name: RegExp): Promise<void> =>
    page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name }).click();

  /** Ends all requests for a file until it is repaired. */
  async function broken(browser: ConsoleBrowser, file: RegExp, fail: (route: Route) => Promise<void>) {
    await browser.context.route(file, fail);
    return { repair: () => browser.context.unroute(file, fail) };
  }

  /** Ends the requests of the first attempt, which may be one for the preload and one for the import; the second attempt comes later. */
  async function brokenOnce(browser: ConsoleBrowser, file: RegExp, fail: (route: Route) => Promise<void>) {
    const asked = { count: 0 };
    let first = Infinity;
    await browser.context.route(file, async route => {
      asked.count += 1;
      first = Math.min(first, performance.now());
      await (performance.now() - first < ATTEMPT_MS ? fail(route) : route.continue());
    });
    return asked;
  }
  const cut = (route: Route): Promise<void> => route.abort('connectionreset');
  const lost = (route: Route): Promise<void> => route.fulfill({ status: 404 });

  it('a file of a page that is cut off once is read again, and nobody notices', async () => {
    const browser = await open();
    const page = await browser.signedIn(product.stack.adminKey);
    const asked = await brokenOnce(browser, FLEET, cut);
    await go(page, /^Fleet/);
    await heading(page, 'Fleet').waitFor(WAIT);
    expect(asked.count).toBeGreaterThan(1);
  });

  it('a console whose first script is cut off once starts all the same', async () => {
    const browser = await open();
    const asked = await brokenOnce(browser, START, cut);
    await browser.signedIn(product.stack.adminKey);
    expect(asked.count).toBeGreaterThan(1);
  });

  it('styles that are cut off once are read again', async () => {
    const browser = await open();
    const asked = await brokenOnce(browser, /assets\/start-[\w-]+\.css/, cut);
    const page = await browser.signedIn(product.stack.adminKey);
    expect(asked.count).toBeGreaterThan(1);
    const display = await page.evaluate("getComputedStyle(document.querySelector('.header')).display");
    expect(display).toBe('flex');
  });

  it('a console that cannot be started says so, and offers to load it again', async () => {
    const browser = await open();
    const start = await broken(browser, START, lost);
    const page = await browser.page();
    await heading(page, 'The console could not be loaded').waitFor(WAIT);
    await page.getByText('The server answers, but a file of this page did not arrive').waitFor(WAIT);
    expect(await axeViolations(page)).toEqual([]);
    await start.repair();
    await page.getByRole('button', { name: 'Load the console again' }).click();
    await page.getByLabel('API key').waitFor(WAIT);
  });

  it('a page whose file is gone after an upgrade says that it was upgraded, and the console is loaded again', async () => {
    const browser = await open();
    const page = await browser.signedIn(product.stack.adminKey);
    const fleet = await broken(browser, FLEET, lost);
    const upgraded = (text: string): string => text.replace(/assets\/index-[\w-]+\.js/, 'assets/index-newer.js');
    await page.route(/\/console\/$/, async route => {
      const response = await route.fetch();
      await route.fulfill({ response, body: upgraded(await response.text()) });
    });
    await go(page, /^Fleet/);
    await heading(page, 'This page could not be loaded').waitFor(WAIT);
    await page.getByText('The product was upgraded since this console was opened').waitFor(WAIT);
    expect(await axeViolations(page)).toEqual([]);
    await page.unroute(/\/console\/$/);
    await fleet.repair();
    const other = await browser.page();
    await heading(other, 'Overview').waitFor(WAIT);
    await page.getByRole('button', { name: 'Load the console again' }).click();
    await heading(page, 'Fleet').waitFor(WAIT);
    browser.errors.splice(0);
  });

  it('a page that the server did not send names the reason, and comes when it is tried again', async () => {
    const browser = await open();
    const page = await browser.signedIn(product.stack.adminKey);
    const fleet = await broken(browser, FLEET, cut);
    const index = await broken(browser, /\/console\/$/, cut);
    await go(page, /^Fleet/);
    await page.getByText('The server could not be reached.').waitFor(WAIT);
    await fleet.repair();
    await index.repair();
    await page.getByRole('button', { name: 'Try again' }).click();
    await heading(page, 'Fleet').waitFor(WAIT);
    browser.errors.splice(0);
  });

  it('a list that does not come within three seconds can be cancelled and loaded again', async () => {
    const browser = await open();
    const page = await browser.signedIn(product.stack.adminKey);
    const held: Route[] = [];
    await page.route(/\/v1\/clusters\?/, route => void held.push(route));
    await go(page, /^Clusters/);
    await page.getByText('Still loading: the server has not answered yet.').waitFor(WAIT);
    const cancelled = page.waitForEvent('requestfailed', request => request.url().includes('/v1/clusters?'));
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await cancelled;
    await page.getByText('Cancelled before the server answered.').waitFor(WAIT);
    await page.unroute(/\/v1\/clusters\?/);
    await page.getByRole('button', { name: 'Load again' }).click();
    await page.getByRole('link', { name: 'slow', exact: true }).waitFor(WAIT);
    expect(held.length).toBeGreaterThan(0);
  });
});

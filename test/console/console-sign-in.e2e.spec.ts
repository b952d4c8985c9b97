import { chromiumMissing, describeOn, eventually } from '@stave/testing';
import type { Page } from 'playwright-core';
import { WebProduct } from '../identity/web-product.js';
import { axeViolations, browsersOf, type ConsoleBrowser } from './console-browser.js';

jest.setTimeout(240_000);

const WAIT = { timeout: 60_000 };

describeOn(chromiumMissing(), 'signing in to the console at an issuer', () => {
  let product: WebProduct;

  beforeAll(async () => void (product = await WebProduct.start()));
  afterAll(() => product?.close());

  const open = browsersOf(() => product.url);
  const offer = (page: Page) => page.getByRole('link', { name: `Sign in with ${product.issuer.url.slice(7)}` });
  const isIn = (page: Page): Promise<void> => page.getByText('live', { exact: true }).first().waitFor(WAIT);

  const sessionOf = async ({ context }: ConsoleBrowser): Promise<string | undefined> =>
    (await context.cookies(product.url)).find(({ name }) => name === 'stave_session')?.value;

  /** Clicks through the forms of the issuer. */
  async function signIn(page: Page, account: string): Promise<void> {
    await offer(page).click(WAIT);
    await page.locator('input[name=login]').fill(account, WAIT);
    await page.locator('input[name=password]').fill('any');
    await page.locator('button[type=submit]').click();
    await page.getByRole('button', { name: 'Continue' }).click(WAIT);
    await isIn(page);
  }

  it('comes back to the page that was asked for, and all pages are signed in', async () => {
    const browser = await open();
    const page = await browser.page('/clusters?name=web');
    await offer(page).waitFor(WAIT);
    expect(await axeViolations(page)).toEqual([]);
    await signIn(page, 'dora');
    const { pathname, search } = new URL(page.url());
    expect([pathname, search]).toEqual(['/console/clusters', '?name=web']);
    const other = await browser.page('/operations');
    await isIn(other);
    expect(await page.evaluate('[document.cookie, localStorage.length, sessionStorage.length]')).toEqual(['', 0, 0]);
    const made = `fetch('/v1/cluster-templates', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"name":"clicked"}' }).then(answer => answer.status)`;
    expect(await page.evaluate(made)).toBe(201);
    await other.getByRole('button', { name: 'Sign out' }).click();
    for (const one of [page, other]) await offer(one).waitFor(WAIT);
    expect(await sessionOf(browser)).toBeUndefined();
    await page.reload();
    await offer(page).waitFor(WAIT);
  });

  it('a session is renewed while the console is open, and when it has ended, the page is kept and asks again', async () => {
    const browser = await open();
    const page = await browser.page('/fleet');
    await signIn(page, 'olga');
    const first = await sessionOf(browser);
    expect(first).toBeDefined();
    await eventually(async () => (await sessionOf(browser)) !== first, 'the session was renewed');
    await isIn(page);
    // an issuer of the tests forgets its sessions when it is started again
    await product.issuer.stop();
    await product.issuer.restart([product.key]);
    await page.getByText('Your sign-in has ended: sign in again to continue on this page.').waitFor(WAIT);
    expect(new URL(page.url()).pathname).toBe('/console/fleet');
    await signIn(page, 'olga');
    expect(new URL(page.url()).pathname).toBe('/console/fleet');
  });
});

import { chromiumMissing, describeOn, expectStatus } from '@stave/testing';
import type { Page } from 'playwright-core';
import { Fleet } from '../e2e/fleet.js';
import { EmbeddedStack } from '../e2e/stack.js';
import { ConsoleBrowser } from './console-browser.js';

jest.setTimeout(240_000);

const WAIT = { timeout: 60_000 };

describeOn(chromiumMissing(), 'what the console says when something ends or is missing', () => {
  let stack: EmbeddedStack;
  let fleet: Fleet;
  const opened: ConsoleBrowser[] = [];

  beforeAll(async () => {
    stack = await EmbeddedStack.start(undefined, { DRIVERS_ENABLED: 'fake' });
    fleet = new Fleet(stack);
  });
  afterEach(async () => {
    for (const browser of opened.splice(0)) {
      await browser.close();
      expect(browser.errors).toEqual([]);
    }
  });
  afterAll(() => stack?.close());

  const open = async (): Promise<ConsoleBrowser> => {
    const browser = await ConsoleBrowser.open(stack.url, { width: 1440, scheme: 'light' });
    opened.push(browser);
    return browser;
  };
  const signedIn = async (path = '/'): Promise<Page> => (await open()).signedIn(stack.adminKey, path);
  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

  it('an empty size is none that can be planned, and what is typed next is the size', async () => {
    const { id } = await fleet.cluster({ name: 'emptied' }, [{ name: 'w', count: 1 }]);
    const page = await signedIn(`/clusters/${id}`);
    await page.getByRole('button', { name: 'Resize w' }).click();
    const size = page.getByLabel('Nodes of w');
    await size.press('Backspace');
    const plan = page.getByRole('button', { name: 'Plan', exact: true });
    expect([await size.inputValue(), await plan.isDisabled()]).toEqual(['', true]);
    await size.press('2');
    await plan.click();
    await page.getByText('count 1 → 2').waitFor(WAIT);
  });

  it('a key that is revoked ends the session of every page, and they say so', async () => {
    const key = { project: 'default', role: 'reader', name: 'short-lived' };
    const { body } = await fleet.api.post<{ id: string; key: string }>('/v1/api-keys', key);
    const browser = await open();
    const pages = [await browser.signedIn(body.key), await browser.page('/clusters')];
    for (const page of pages) await page.getByText('live', { exact: true }).first().waitFor(WAIT);
    expectStatus(await fleet.api.delete(`/v1/api-keys/${body.id}`), 204);
    for (const page of pages) {
      await page.getByText('The key you were signed in with was revoked or has expired.').waitFor(WAIT);
      expect(await heading(page, 'Sign in to Stave').isVisible()).toBe(true);
    }
  });

  it('a cluster that is deleted while it is shown is called deleted', async () => {
    const { id } = await fleet.cluster({ name: 'doomed' }, [{ count: 1 }]);
    const page = await signedIn(`/clusters/${id}`);
    await page.getByText('1 of 1 nodes ready').waitFor(WAIT);
    await fleet.api.succeed(fleet.api.delete(`/v1/clusters/${id}`));
    await page.getByText('This cluster was deleted').waitFor(WAIT);
    await heading(page, 'doomed').waitFor(WAIT);
    expect(await page.getByText('deleting').count()).toBe(0);
  });

  it('what was asked while the product was away is shown when it is back', async () => {
    const { dataDir, url } = stack;
    const page = await signedIn();
    await page.getByText('live', { exact: true }).first().waitFor(WAIT);
    await stack.end('SIGKILL');
    await page.getByText('reconnecting').waitFor(WAIT);
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Operations' }).click();
    await page.getByText('No answer', { exact: true }).waitFor(WAIT);
    stack = await EmbeddedStack.start(dataDir, { DRIVERS_ENABLED: 'fake', PORT: new URL(url).port });
    fleet = new Fleet(stack);
    await page.getByRole('link', { name: 'Create cluster' }).first().waitFor(WAIT);
    expect(await page.getByText('No answer', { exact: true }).count()).toBe(0);
  });
});

import { chromiumMissing, describeOn } from '@stave/testing';
import type { Page } from 'playwright-core';
import { consoleProduct, WAIT } from './console-product.js';

jest.setTimeout(240_000);

describeOn(chromiumMissing(), 'lists of the console', () => {
  const product = consoleProduct();
  const { signedIn } = product;

  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
  const go = (page: Page, name: string): Promise<void> =>
    page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).click();

  it.each([
    ['by the side bar', (page: Page) => go(page, 'Clusters')],
    ['by the key Back of the browser', (page: Page) => page.goBack()],
  ])('a list to which the reader comes back %s has no row of what was deleted meanwhile', async (way, comeBack) => {
    const prefix = `back-${way.length}`;
    const { id } = await product.fleet.cluster({ name: `${prefix}-gone` }, []);
    await product.fleet.cluster({ name: `${prefix}-stays` }, []);
    const page = await signedIn('/clusters');
    await page.getByRole('link', { name: `${prefix}-gone` }).waitFor(WAIT);
    await go(page, 'Operations');
    await heading(page, 'Operations').waitFor(WAIT);
    await product.fleet.api.succeed(product.fleet.api.delete(`/v1/clusters/${id}`));
    await page.getByText('Delete cluster').first().waitFor(WAIT);
    await comeBack(page);
    await page.getByRole('link', { name: `${prefix}-stays` }).waitFor(WAIT);
    expect(await page.getByRole('link', { name: `${prefix}-gone` }).count()).toBe(0);
  });

  it('a row that is deleted while the list is being read leaves it', async () => {
    const { id } = await product.fleet.cluster({ name: 'read-late' }, []);
    await product.fleet.cluster({ name: 'read-stays' }, []);
    const page = await signedIn('/operations');
    await page.getByText('live', { exact: true }).first().waitFor(WAIT);
    await page.route(/\/v1\/clusters\?.*total=true/, async route => {
      const answer = await route.fetch();
      await product.fleet.api.succeed(product.fleet.api.delete(`/v1/clusters/${id}`));
      // the page has the news of the deletion when it names it among the operations of another page
      await other.getByText('Delete cluster read-late').first().waitFor(WAIT);
      await route.fulfill({ response: answer });
    });
    const other = await page.context().newPage();
    await other.goto(`${product.stack.url}/console/operations`);
    await go(page, 'Clusters');
    await page.getByRole('link', { name: 'read-stays' }).waitFor(WAIT);
    await page.getByRole('link', { name: 'read-late' }).waitFor({ state: 'detached', timeout: 10_000 });
  });

  it('nodes are sorted by the names that are shown, with their numbers in order, also where groups are not', async () => {
    const several = await product.fleet.cluster({ name: 'several' }, [
      { name: 'zeta', count: 1 },
      { name: 'alpha', count: 11 },
      { name: 'mid', count: 1 },
    ]);
    const alphas = Array.from({ length: 11 }, (_, n) => `alpha-${n}`);
    const names = [...alphas, 'mid-0', 'zeta-0'];
    const page = await signedIn(`/clusters/${several.id}`);
    const table = page.getByRole('table', { name: 'Nodes of several' });
    const shown = (): Promise<readonly string[]> => table.getByRole('row').getByRole('link').allTextContents();
    await table.getByRole('link', { name: 'zeta-0' }).waitFor(WAIT);
    expect(await shown()).toEqual(names);
    expect(await table.getByRole('columnheader', { name: 'Name' }).getAttribute('aria-sort')).toBe('ascending');
    await table.getByRole('button', { name: 'Name' }).click();
    await table.getByRole('row').nth(1).getByText('zeta-0').waitFor(WAIT);
    expect(await shown()).toEqual([...names].reverse());
  });

  it('more nodes than a page of one group are in the order of their numbers, which is called that of names', async () => {
    const many = await product.fleet.cluster({ name: 'many' }, [{ name: 'w', count: 120 }]);
    const page = await signedIn(`/clusters/${many.id}`);
    const table = page.getByRole('table', { name: 'Nodes of many' });
    await table.getByRole('link', { name: 'w-2', exact: true }).waitFor(WAIT);
    expect((await table.getByRole('row').getByRole('link').allTextContents()).slice(0, 4)).toEqual([
      'w-0',
      'w-1',
      'w-2',
      'w-3',
    ]);
    expect(await table.getByRole('columnheader', { name: 'Name' }).getAttribute('aria-sort')).toBe('ascending');
  });

  it('keys move among rows as soon as a key has led to the page, without a click', async () => {
    await product.fleet.cluster({ name: '0-first' }, []);
    await product.fleet.cluster({ name: '1-second' }, []);
    const page = await signedIn();
    await heading(page, 'Overview').waitFor(WAIT);
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await page.getByRole('link', { name: '1-second' }).waitFor(WAIT);
    const focused = (name: string) => page.locator('[data-row]:focus').filter({ hasText: name }).waitFor(WAIT);
    await page.keyboard.press('j');
    await focused('0-first');
    await page.keyboard.press('j');
    await focused('1-second');
    await page.keyboard.press('k');
    await focused('0-first');
    await page.keyboard.press('Enter');
    await heading(page, '0-first').waitFor(WAIT);
  });

  it('the events to which the reader comes back are the newest ones', async () => {
    const { id } = await product.fleet.cluster({ name: 'eventful' }, []);
    const page = await signedIn(`/history?cluster=${id}`);
    const events = page.getByRole('list', { name: 'Events, newest first' });
    await events.getByRole('button', { name: /^created, cluster/ }).waitFor(WAIT);
    await go(page, 'Operations');
    await heading(page, 'Operations').waitFor(WAIT);
    await product.fleet.api.succeed(product.fleet.api.delete(`/v1/clusters/${id}`));
    await page.getByText('Delete cluster').first().waitFor(WAIT);
    await page.goBack();
    await events.getByRole('listitem').first().waitFor(WAIT);
    await events.getByRole('button', { name: /^deleted, cluster/ }).waitFor({ timeout: 5_000 });
  });
});

import { chromiumMissing, describeOn } from '@stave/testing';
import type { Page } from 'playwright-core';
import { picturedFleet, type PicturedFleet } from '../pictures/pictured-fleet.js';
import { pagesOf } from '../pictures/pictured-pages.js';
import { axeViolations, views } from './console-browser.js';
import { consoleProduct, WAIT } from './console-product.js';
import { isCommand } from './command-lines.js';

jest.setTimeout(900_000);

const MAX_ELEMENTS = 1_500;

describeOn(chromiumMissing(), 'every page of the console', () => {
  const product = consoleProduct();
  const { open } = product;
  let fleet: PicturedFleet;

  beforeAll(async () => {
    fleet = await picturedFleet(product.stack);
  });

  const show = async (page: Page, path: string, title: string | RegExp): Promise<void> => {
    await page.evaluate(`history.pushState(null, '', '/console${path}')`);
    await page.getByRole('heading', { level: 1, name: title }).waitFor(WAIT);
    await page
      .locator('[aria-busy=true]')
      .first()
      .waitFor({ state: 'detached', ...WAIT });
  };

  it.each(views)('is accessible, light, and as wide as the screen at $width px in $scheme', async view => {
    const page = await (await open(view)).signedIn(product.stack.adminKey);
    const wrong: string[] = [];
    for (const { path, title } of pagesOf(fleet)) {
      await show(page, path, title);
      wrong.push(...(await axeViolations(page)).map(violation => `${path}: ${violation}`));
      if ((await page.locator('*').count()) >= MAX_ELEMENTS) wrong.push(`${path}: too many elements`);
      const [width, room] = (await page.evaluate(
        '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
      )) as [number, number];
      if (width > room) wrong.push(`${path}: ${width} px wide on ${room}`);
    }
    expect(wrong).toEqual([]);
  });

  it('offers a command line that exists', async () => {
    const page = await (await open()).signedIn(product.stack.adminKey);
    for (const { path, title } of pagesOf(fleet)) {
      await show(page, path, title);
      const lines = await page.locator('.command-line code').allTextContents();
      expect([path, lines.length > 0]).toEqual([path, true]);
      for (const line of lines) expect([path, line, isCommand(line)]).toEqual([path, line, true]);
    }
  });

  it('is shown as it was, or says what is of now, with the moment kept from page to page', async () => {
    const at = new Date().toISOString();
    const page = await (await open()).signedIn(product.stack.adminKey, `/clusters?at=${at}`);
    for (const name of [
      'Container sets',
      'Containers',
      'Operations',
      'History',
      'Policies',
      'Machines',
      'Access',
      'Overview',
    ]) {
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).click();
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor(WAIT);
      await page.getByText('As it was at').waitFor(WAIT);
      await page
        .locator('[aria-busy=true]')
        .first()
        .waitFor({ state: 'detached', ...WAIT });
      expect([name, await page.getByRole('alert').count()]).toEqual([name, 0]);
      expect(new URL(page.url()).searchParams.get('at')).toBe(at);
    }
    await page.getByRole('button', { name: 'Back to now' }).click();
    await page.getByText('As it was at').waitFor({ state: 'detached', ...WAIT });
    expect(new URL(page.url()).searchParams.has('at')).toBe(false);
  });
});

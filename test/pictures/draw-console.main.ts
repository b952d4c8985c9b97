import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { repositoryRoot } from '@stave/testing';
import { ConsoleBrowser, type View } from '../console/console-browser.js';
import { EmbeddedStack } from '../e2e/stack.js';
import { picturedFleet } from './pictured-fleet.js';
import { pagesOf, type PicturedPage } from './pictured-pages.js';

const DIRECTORY = join(repositoryRoot(), 'docs', 'images');
/** The size of the screens: a desk and a telephone, each in one of the schemes. */
const screens: readonly (View & { readonly name: string })[] = [
  { name: 'wide', width: 1440, scheme: 'light' },
  { name: 'narrow', width: 390, scheme: 'dark' },
];
/** Long enough for charts to have something to show, in milliseconds. */
const LIFE_MS = 30_000;
const QUIET_MS = 800;

/** Draws a page when it shows no outlines any more, and names that come later are there, too. */
async function draw(
  browser: ConsoleBrowser,
  key: string,
  screen: string,
  pages: readonly PicturedPage[],
): Promise<void> {
  const page = await browser.signedIn(key);
  for (const { name, path, title } of pages) {
    await page.evaluate(`history.pushState(null, '', '/console${path}')`);
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
    await pause(QUIET_MS);
    await page.screenshot({ path: join(DIRECTORY, `console-${name}-${screen}.jpg`), type: 'jpeg', quality: 72 });
  }
}

/** Draws every page of the console on a fleet of its own into `docs/images`. */
async function main(): Promise<void> {
  await mkdir(DIRECTORY, { recursive: true });
  const stack = await EmbeddedStack.start(undefined, { DRIVERS_ENABLED: 'fake' });
  try {
    const pages = pagesOf(await picturedFleet(stack));
    await pause(LIFE_MS);
    for (const { name, ...view } of screens) {
      const browser = await ConsoleBrowser.open(stack.url, view);
      await draw(browser, stack.adminKey, name, pages);
      await browser.close();
    }
  } finally {
    await stack.close();
  }
}

void main();

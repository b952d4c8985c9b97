import type { Locator, Page } from 'playwright-core';
import type { ConsoleBrowser } from '../console/console-browser.js';
import { mustBe } from './bench-report.js';

/** The budgets of a page. The tests of the console assert them at a small size. */
const MOST_ELEMENTS = 1_500;
const MOST_REQUESTS = 40;
const MOST_ROWS = 60;
const WAIT = { timeout: 120_000 };

export interface ConsolePage {
  readonly title: string;
  readonly path: string;
  /** What is there when the first rows are shown. */
  readonly shows: (page: Page) => Locator;
  /** The table of the page, and the number of rows that it says it has. */
  readonly table?: { readonly label: string; readonly rows: number };
}

export interface Seen {
  readonly seconds: number;
  readonly requests: number;
  readonly elements: number;
}

export interface Size {
  readonly clusters: number;
  readonly nodes: number;
}

const firstRow = (page: Page): Locator => page.getByRole('table').getByRole('row').nth(1).getByRole('cell').first();

/** The pages that have something to show at this size. `cluster` is the id of one of the clusters. */
export function consolePages(cluster: string, { clusters, nodes }: Size): readonly ConsolePage[] {
  const count = (number: number) => (page: Page) =>
    page.getByText(number.toLocaleString('en'), { exact: true }).first();
  const table = (label: string, rows: number) => ({ shows: firstRow, table: { label, rows } });
  const named = clusters - 1;
  return [
    { title: 'overview', path: '/', shows: count(nodes) },
    { title: 'clusters', path: '/clusters', ...table('Clusters', clusters) },
    { title: 'clusters by status', path: '/clusters?status=ACTIVE', ...table('Clusters', clusters) },
    { title: 'clusters by name', path: '/clusters?name=bench-', ...table('Clusters', named) },
    { title: 'clusters, sorted', path: '/clusters?sort=-name', ...table('Clusters', clusters) },
    { title: 'cluster', path: `/clusters/${cluster}`, shows: page => page.getByText(/ of \d+ nodes ready/).first() },
    {
      title: 'topology',
      path: `/clusters/${cluster}/topology`,
      shows: page => page.getByRole('region', { name: 'No zone' }),
    },
    { title: 'operations', path: '/operations', shows: page => page.getByText(/ of \d+ steps/).first() },
    {
      title: 'history',
      path: '/history',
      shows: page => page.getByRole('list', { name: 'Events, newest first' }).getByRole('listitem').first(),
    },
    { title: 'fleet', path: '/fleet', shows: page => page.getByText('default group').first() },
  ];
}

/** Opens a page in a new tab, and checks that it shows what there is, within its budgets. */
export async function openPage(browser: ConsoleBrowser, { title, path, shows, table }: ConsolePage): Promise<Seen> {
  const before = browser.requests.length;
  const started = performance.now();
  const page = await browser.page(path);
  await shows(page).waitFor(WAIT);
  const seconds = (performance.now() - started) / 1000;
  const requests = browser.requests.length - before;
  const elements = await page.locator('*').count();
  if (table !== undefined) {
    const shown = page.getByRole('table', { name: table.label });
    const rows = Number(await shown.getAttribute('aria-rowcount')) - 1;
    mustBe(rows === table.rows, `${title} says that there are ${rows} rows, of ${table.rows}`);
    const held = await shown.getByRole('row').count();
    mustBe(held <= MOST_ROWS, `${title} holds ${held} rows`);
  }
  mustBe(elements <= MOST_ELEMENTS, `${title} has ${elements} elements`);
  mustBe(requests <= MOST_REQUESTS, `${title} sends ${requests} requests`);
  await page.close();
  return { seconds, requests, elements };
}

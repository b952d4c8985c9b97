import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromiumMissing, freePort } from '@stave/testing';
import { ApiClient, type Resource } from '../demo/api-client.js';
import { ConsoleBrowser } from '../console/console-browser.js';
import { numberOption } from './bench-options.js';
import { mustBe, report, run, type Figure } from './bench-report.js';
import { withoutLimits } from './embedded-product.js';
import { grownLog } from './grown-log.js';
import { consolePages, openPage, type Seen } from './console-pages.js';

/**
 * `npm run bench -- console [--clusters 10000] [--nodes 10]` opens the console of a product of this size in a real browser: the time until each page
 * shows its first rows, its requests and its elements. Then seven tabs are open at once. The log is written without the product; it must have been built with
 * `npm run build:console`.
 */
const args = process.argv.slice(2);
const clusters = numberOption(args, '--clusters', 10_000);
const perCluster = numberOption(args, '--nodes', 10);
const TABS = 7;

interface Started {
  readonly child: ChildProcess;
  readonly url: string;
}

async function start(dataDir: string): Promise<Started> {
  const settings = { PORT: String(await freePort()), DATA_DIR: dataDir, DRIVERS_ENABLED: 'fake', LOG_LEVEL: 'error' };
  const entry = join(__dirname, '..', '..', '..', 'apps', 'all-in-one', 'dist', 'main.js');
  const child = spawn(process.execPath, [...process.execArgv, entry], {
    env: { ...process.env, ...settings, ...withoutLimits },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const [, url] = /ready at (\S+) /.exec(line) ?? [];
    if (url === undefined) continue;
    child.stdout.resume();
    return { child, url };
  }
  throw new Error('the product ended before it was ready');
}

async function stop({ child }: Started): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

/** The read models are built from the log at the first start. */
async function allAreListed(api: ApiClient): Promise<void> {
  const total = async (type: string): Promise<number> =>
    (await api.get<{ readonly total?: number }>(`/v1/${type}?total=true&limit=1`)).total ?? -1;
  mustBe((await total('clusters')) === clusters, `${clusters} clusters are listed`);
  mustBe((await total('nodes')) === clusters * perCluster, `${clusters * perCluster} nodes are listed`);
}

const figuresOf = (page: string, { seconds, requests, elements }: Seen): Figure[] => [
  { figure: `${page}: first rows`, value: seconds, unit: 's', target: '<= 1 s' },
  { figure: `${page}: requests`, value: requests, unit: '', target: '<= 40' },
  { figure: `${page}: elements`, value: elements, unit: '', target: '<= 1500' },
];

async function sevenTabs(browser: ConsoleBrowser, api: ApiClient): Promise<Figure[]> {
  const started = performance.now();
  const tabs = [];
  for (let tab = 0; tab < TABS; tab += 1) tabs.push(await browser.page('/clusters?name=bench'));
  for (const tab of tabs)
    await tab
      .getByRole('link', { name: /^bench/ })
      .first()
      .waitFor({ timeout: 120_000 });
  const opened = (performance.now() - started) / 1000;
  const changed = performance.now();
  const body = { name: 'bench-new', driver: 'fake', nodeGroups: [] };
  await api.post<Resource>('/v1/clusters', body);
  for (const tab of tabs) await tab.getByRole('button', { name: /new: show/ }).waitFor({ timeout: 120_000 });
  return [
    { figure: `${TABS} tabs: first rows of all, one after the other`, value: opened, unit: 's' },
    {
      figure: `${TABS} tabs: a new cluster is announced in all`,
      value: (performance.now() - changed) / 1000,
      unit: 's',
    },
  ];
}

run(async () => {
  const missing = chromiumMissing();
  mustBe(missing === undefined, String(missing));
  const seeding = performance.now();
  const log = await grownLog({ atLeast: { clusters }, perCluster });
  const seeded = (performance.now() - seeding) / 1000;
  process.stderr.write(`${log.events} events written after ${seeded.toFixed(0)} s\n`);
  const starting = performance.now();
  const product = await start(log.product.dataDir);
  const ready = (performance.now() - starting) / 1000;
  const browser = await ConsoleBrowser.open(product.url, { width: 1440, scheme: 'light' });
  try {
    const api = new ApiClient(product.url, log.product.key);
    await allAreListed(api);
    const { items } = await api.get<{ readonly items: readonly Resource[] }>('/v1/clusters?sort=name&limit=1');
    // the tabs of a browser share the sign-in as long as one of them is open
    await browser.signedIn(log.product.key, '/fleet');
    const figures: Figure[] = [
      { figure: 'log written', value: seeded, unit: 's' },
      { figure: 'product ready', value: ready, unit: 's' },
    ];
    const pages = consolePages(items[0]?.id ?? '', { clusters, nodes: clusters * perCluster });
    // the first summary after a start counts everything once
    for (const page of pages.slice(0, 1)) {
      const { seconds } = await openPage(browser, page);
      figures.push({ figure: `${page.title} right after the first start: first rows`, value: seconds, unit: 's' });
    }
    for (const page of pages) {
      const seen = await openPage(browser, page);
      figures.push(...figuresOf(page.title, seen));
      process.stderr.write(`${page.title} after ${seen.seconds.toFixed(2)} s\n`);
    }
    figures.push(...(await sevenTabs(browser, api)));
    mustBe(browser.errors.length === 0, `the console wrote errors: ${browser.errors.join('; ')}`);
    report('console', 'embedded', { clusters, nodes: clusters * perCluster, events: log.events }, figures);
  } finally {
    await browser.close();
    await stop(product);
    await log.product.remove();
  }
});

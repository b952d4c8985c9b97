import AxeBuilder from '@axe-core/playwright';
import { chromiumProgram } from '@stave/testing';
import { chromium, type Browser, type BrowserContext, type Locator, type Page, type Request } from 'playwright-core';

export interface View {
  readonly width: number;
  readonly scheme: 'light' | 'dark';
}

export const views: readonly View[] = [
  { width: 1440, scheme: 'light' },
  { width: 1440, scheme: 'dark' },
  { width: 390, scheme: 'light' },
  { width: 390, scheme: 'dark' },
];

/** Lines of the console that say nothing about the page: a refused request is shown by the page itself. */
const expected = /Failed to load resource/;

/** A real browser with the console. What it writes to its console as an error, a breach of the policy included, is a failure of the test. */
export class ConsoleBrowser {
  readonly errors: string[] = [];
  readonly requests: Request[] = [];

  private constructor(
    private readonly browser: Browser,
    readonly context: BrowserContext,
    private readonly url: string,
  ) {}

  static async open(url: string, { width, scheme }: View): Promise<ConsoleBrowser> {
    const browser = await chromium.launch({ executablePath: chromiumProgram() ?? '' });
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme });
    return new ConsoleBrowser(browser, context, url);
  }

  async page(path = '/'): Promise<Page> {
    const page = await this.context.newPage();
    page.on('console', message => {
      if (['error', 'warning'].includes(message.type()) && !expected.test(message.text()))
        this.errors.push(message.text());
    });
    page.on('pageerror', error => this.errors.push(error.message));
    page.on('request', request => this.requests.push(request));
    await page.goto(`${this.url}/console${path}`);
    return page;
  }

  /** Opens the console and signs in. */
  async signedIn(key: string, path = '/'): Promise<Page> {
    const page = await this.page(path);
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('navigation', { name: 'Pages', includeHidden: true }).waitFor({ state: 'attached' });
    return page;
  }

  async close(): Promise<void> {
    await this.browser.close();
  }
}

/** Colours of what is still fading in are not those that people read. */
const isShown = `Promise.all(document.getAnimations()
  .filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime))
  .map(({ finished }) => finished.catch(() => undefined)))
  .then(() => undefined)`;

/** Returns what a check of accessibility finds, in a line for each kind. */
export async function axeViolations(page: Page): Promise<readonly string[]> {
  await page.evaluate(isShown);
  const { violations } = await new AxeBuilder({ page })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
    .analyze();
  return violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ html, failureSummary = '' }) => `${html.slice(0, 160)} (${failureSummary.slice(0, 300)})`).join(' | ')}`,
  );
}

const desktop: View = { width: 1440, scheme: 'light' };

/**
 * Returns what opens browsers for the tests of a suite: each is closed after its test, which fails when a page of it wrote an error.
 * `url` is asked when a browser is opened.
 */
export function browsersOf(url: () => string): (view?: View) => Promise<ConsoleBrowser> {
  const opened: ConsoleBrowser[] = [];
  afterEach(async () => {
    for (const browser of opened.splice(0)) {
      await browser.close();
      expect(browser.errors).toEqual([]);
    }
  });
  return async (view = desktop) => {
    const browser = await ConsoleBrowser.open(url(), view);
    opened.push(browser);
    return browser;
  };
}

/** Presses the button with exactly this name as soon as there is one. */
export const press = (place: Page | Locator, name: string): Promise<void> =>
  place.getByRole('button', { name, exact: true }).click({ timeout: 60_000 });

import type { Page } from 'playwright-core';
import { Fleet } from '../e2e/fleet.js';
import { EmbeddedStack } from '../e2e/stack.js';
import { paste } from '../guides/paste.js';
import { browsersOf } from './console-browser.js';

/** How long a test waits for what a page shows. */
export const WAIT = { timeout: 60_000 };

/** A product with the fake driver and its console. */
export class ConsoleProduct {
  /** Opens browsers, each for the test that asks for it. */
  readonly open = browsersOf(() => this.stack.url);
  private running: EmbeddedStack | undefined;
  private made: Fleet | undefined;

  get stack(): EmbeddedStack {
    if (!this.running) throw new Error('the product is not started yet');
    return this.running;
  }

  get fleet(): Fleet {
    return (this.made ??= new Fleet(this.stack));
  }

  async start(): Promise<void> {
    this.running = await EmbeddedStack.start(undefined, { DRIVERS_ENABLED: 'fake' });
  }

  /** Ends the product by SIGKILL. Returns what starts it again, with its log and at its address. */
  async kill(): Promise<() => Promise<void>> {
    const { dataDir, url } = this.stack;
    await this.stack.end('SIGKILL');
    return async () => {
      this.running = await EmbeddedStack.start(dataDir, { DRIVERS_ENABLED: 'fake', PORT: new URL(url).port });
      this.made = undefined;
    };
  }

  /** Runs a command that was copied from the console, as the administrator. Returns what it prints. */
  pasted(command: string, directory: string): Promise<string> {
    const connection = `export STAVE_URL=${this.stack.url} STAVE_TOKEN=${this.stack.adminKey}`;
    return paste([{ line: 1, text: `${connection}\n${command}` }], this.stack.url, directory);
  }

  async close(): Promise<void> {
    await this.running?.close();
  }

  /** Opens a browser of its own and signs in, by default as the administrator. */
  readonly signedIn = async (path = '/', key = this.stack.adminKey): Promise<Page> =>
    (await this.open()).signedIn(key, path);
}

/** Returns a product that runs while the tests of the suite do. */
export function consoleProduct(): ConsoleProduct {
  const product = new ConsoleProduct();
  beforeAll(() => product.start());
  afterAll(() => product.close());
  return product;
}

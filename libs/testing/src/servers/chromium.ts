import { join } from 'node:path';
import { findProgram, serversConfig } from './servers.config.js';

/** Returns the browser for tests of the console; undefined when there is none. */
export const chromiumProgram = (): string | undefined =>
  findProgram(serversConfig.chromiumBinary, join('chromium', 'chromium'), 'chromium');

/** Returns why tests in the browser are skipped; undefined when they run. */
export const chromiumMissing = (): string | undefined =>
  chromiumProgram() === undefined ? 'no chromium: run scripts/install-test-servers.sh or set CHROMIUM_BIN' : undefined;

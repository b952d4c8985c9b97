import { serversConfig } from './servers.config.js';

/**
 * Describes a suite that needs a server. Without the server the suite is skipped, with the reason in its name; under
 * CI=true, where all servers are installed, it fails.
 */
export function describeOn(missing: string | undefined, name: string, suite: () => void): void {
  if (missing === undefined) describe(name, suite);
  else if (serversConfig.ci) it(name, () => Promise.reject(new Error(`left out under CI: ${missing}`)));
  else describe.skip(`${name} (left out: ${missing})`, () => it('needs its server', () => undefined));
}

/** Defines a test that needs a server or may stop it. It is skipped and counted like a suite of `describeOn`. */
export function itOn(missing: string | undefined, name: string, test: () => Promise<void>, timeoutMs?: number): void {
  if (missing === undefined) it(name, test, timeoutMs);
  else if (serversConfig.ci) it(name, () => Promise.reject(new Error(`left out under CI: ${missing}`)));
  else it.skip(`${name} (left out: ${missing})`, test);
}

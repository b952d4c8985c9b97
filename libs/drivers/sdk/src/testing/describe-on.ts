/**
 * Describes a suite that needs a server. `missing` is the reason why the server is not available, undefined when it is. Without the server
 * all tests of the suite are skipped, with the reason in the name of the suite; with CI=true, where all servers are installed, a test with
 * the name of the suite fails instead.
 */
export function describeOn(missing: string | undefined, name: string, suite: () => void): void {
  if (missing === undefined) describe(name, suite);
  else if (process.env['CI'] === 'true') it(name, () => failUnderCi(missing));
  else describe.skip(`${name} (skipped: ${missing})`, suite);
}

/** Defines a test that needs a server, or must be able to stop it. The test is skipped, or fails with CI=true, as in `describeOn`. */
export function itOn(missing: string | undefined, name: string, test: () => Promise<void>, timeoutMs?: number): void {
  if (missing === undefined) it(name, test, timeoutMs);
  else if (process.env['CI'] === 'true') it(name, () => failUnderCi(missing));
  else it.skip(`${name} (skipped: ${missing})`, test);
}

function failUnderCi(missing: string): never {
  throw new Error(`no test may be skipped with CI=true: ${missing}`);
}

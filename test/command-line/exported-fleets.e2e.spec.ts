import { run, type Terminal } from '@stave/cli';
import { uniqueName } from '@stave/testing';
import fc from 'fast-check';
import { EmbeddedStack } from '../e2e/stack.js';
import { randomFleet } from './random-fleet.js';
import { nowhere } from './reference-file.js';

jest.setTimeout(600_000);

/** How many fleets are tried. */
const FLEETS = 12;

describe('exported fleets', () => {
  let stack: EmbeddedStack;
  beforeAll(async () => void (stack = await EmbeddedStack.start()));
  afterAll(() => stack?.close());

  /** Runs a command in this process, which starts no other for each of the many commands. */
  async function stave(args: readonly string[], input = ''): Promise<string> {
    const written = { out: '', err: '' };
    const terminal: Terminal = {
      ...nowhere,
      env: { STAVE_URL: stack.url, STAVE_TOKEN: stack.adminKey, HOME: stack.dataDir },
      out: text => void (written.out += text),
      err: text => void (written.err += text),
      readInput: () => Promise.resolve(input),
    };
    const code = await run(args, terminal, '0');
    if (code !== 0) throw new Error(`stave ${args.join(' ')} ended with ${code}: ${written.err}\n${input}`);
    return written.out;
  }
  const planned = async (file: string): Promise<unknown> =>
    JSON.parse(await stave(['apply', '-f', '-', '--plan', '-o', 'json'], file));

  it('a fleet that was applied needs no change, and neither does its export, with --prune neither', async () => {
    await fc.assert(
      fc.asyncProperty(randomFleet('a-fleet'), async fleet => {
        const name = uniqueName('fleet');
        const file = JSON.stringify(fleet).replaceAll('a-fleet', name);
        await stave(['apply', '-f', '-', '--yes', '--wait'], file);
        await stave(['wait', name, '--timeout', '120s']);
        expect(await planned(file)).toEqual({ changes: [] });
        const exported = await stave(['export', name]);
        expect(await planned(exported)).toEqual({ changes: [] });
        const pruned = await stave(['apply', '-f', '-', '--plan', '--prune', '-o', 'json'], exported);
        expect(JSON.parse(pruned)).toEqual({ changes: [] });
        await stave(['apply', '-f', '-', '--yes'], exported);
        expect(await stave(['export', name])).toBe(exported);
      }),
      { numRuns: FLEETS, endOnFailure: true },
    );
  });
});

import { failureOf } from './errors.js';
import { sharesAsValues } from './input/shares.js';
import { commandTree } from './program.js';
import type { Terminal } from './terminal.js';

/** Runs one command line and returns its exit code. Throws only what is a mistake of this program. */
export async function run(args: readonly string[], terminal: Terminal, version: string): Promise<number> {
  const tree = commandTree(terminal, version, args);
  try {
    await tree.root.parseAsync(sharesAsValues(args), { from: 'user' });
    return tree.exitCode;
  } catch (error) {
    const { code, lines } = failureOf(error, terminal.signal);
    for (const line of lines) terminal.err(`${line}\n`);
    return code;
  }
}

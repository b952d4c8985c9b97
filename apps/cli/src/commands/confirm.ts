import { UsageError } from '../exit-codes.js';
import type { Session } from '../session.js';

/** Asks for consent. Throws UsageError for any other answer than yes, and where nobody can be asked. */
export async function confirmed(session: Session, question: string, yes: boolean | undefined): Promise<void> {
  if (yes) return;
  if (!session.terminal.interactive || !process.stdin.isTTY)
    throw new UsageError(`${question} Nobody can be asked here: add --yes`);
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await lines.question(`${question} [y/N] `, { signal: session.terminal.signal });
    if (!/^y(es)?$/i.test(answer.trim())) throw new UsageError('Nothing was changed.');
  } finally {
    lines.close();
  }
}

import { UsageError } from '../exit-codes.js';
import { nounOf } from '../nouns/nouns.js';
import { pathOf } from '../nouns/references.js';
import type { Session } from '../session.js';

export interface LogFlags {
  readonly follow?: boolean;
  readonly tail?: string;
}

/** Writes the log of a container as it is. */
export async function logs(session: Session, reference: string, { follow, tail }: LogFlags): Promise<void> {
  if (tail !== undefined && !/^\d+$/.test(tail)) throw new UsageError(`--tail ${tail} must be a number of lines`);
  const { api, terminal } = session;
  const path = `${await pathOf(api, nounOf('containers')!, reference)}/logs`;
  const query = { ...(tail === undefined ? {} : { tail }), ...(follow ? { follow: true } : {}) };
  for await (const piece of api.text(path, query)) {
    terminal.out(piece);
    await terminal.drained();
  }
}

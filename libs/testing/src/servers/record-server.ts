import { appendFileSync } from 'node:fs';

/** A part of the product that can run on several servers. */
export type ServerPart = 'event store' | 'document store' | 'messaging';

/**
 * Notes on which server a part runs in the suite that is running now, for the closing table of `npm test`, which names the
 * file of the notes in STAVE_SERVERS_USED. Does nothing otherwise.
 */
export function recordServer(part: ServerPart, server: string): void {
  const file = process.env['STAVE_SERVERS_USED'];
  const suite = typeof expect === 'function' ? expect.getState().testPath : undefined;
  if (file && suite) appendFileSync(file, `${JSON.stringify({ suite, part, server })}\n`);
}

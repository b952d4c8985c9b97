import { setTimeout as pause } from 'node:timers/promises';
import { WrongExpectedRevisionError } from '@stave/platform';

const CONFLICT_RETRIES = 50;
/** After this many conflicts in a row a writer waits, for a random time, so that the other replicas get through. */
const CONFLICTS_WITHOUT_PAUSE = 3;
const MAX_PAUSE_MS = 100;

/** Resolves when a decision whose append met another writer is to be repeated. Throws the error where it is no such conflict, or one too many. */
export async function afterConflict(error: unknown, stream: string, attempt: number): Promise<void> {
  const isConflict = error instanceof WrongExpectedRevisionError && error.stream === stream;
  if (!isConflict || attempt >= CONFLICT_RETRIES) throw error;
  if (attempt >= CONFLICTS_WITHOUT_PAUSE)
    await pause(Math.random() * Math.min(MAX_PAUSE_MS, 2 ** (attempt - CONFLICTS_WITHOUT_PAUSE)));
}

import { ProblemError } from '@stave/client';
import type { Document } from '../api/api.js';
import { CommandFailure, exitCodes } from '../exit-codes.js';
import { durationMs } from '../input/duration.js';
import type { Noun } from '../nouns/noun.js';
import { findTarget, pathOf } from '../nouns/references.js';
import { inline, printable } from '../output/values.js';
import type { Session } from '../session.js';
import { awaitOperation } from './outcome.js';

/** The statuses in which a resource is as it was asked to be; the last three are of machines. */
const settled = new Set([
  ...['ACTIVE', 'RUNNING', 'SUCCEEDED', 'EXITED', 'COMPLETED'],
  ...['AVAILABLE', 'CLAIMED', 'MAINTENANCE'],
]);
const failed = new Set(['FAILED', 'QUARANTINED']);
/** The time between two looks, in milliseconds. */
const LOOK_MS = 500;

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', stop, { once: true });
  });
}

async function runningOperation(session: Session, { id }: Document): Promise<string | undefined> {
  const query = { 'target.id': String(id), status: 'PENDING,RUNNING', limit: 1 };
  const { items } = await session.api.read<{ items: Document[] }>('/v1/operations', query);
  return items[0] && String(items[0]['id']);
}

/**
 * Waits until the resource is ACTIVE and none of its operations runs. Throws CommandFailure: `failed` when it is FAILED and nothing works on it any
 * more, `timeout` when the time ran out, `refused` when it was deleted.
 */
export async function waitFor(
  session: Session,
  noun: Noun | undefined,
  reference: string,
  timeout: string | undefined,
): Promise<void> {
  const { api, terminal } = session;
  const target = noun ? { noun, path: await pathOf(api, noun, reference) } : await findTarget(api, reference);
  if (target.noun.name === 'operations')
    return awaitOperation(
      session,
      decodeURIComponent(target.path.split('/').at(-1)!),
      timeout === undefined ? {} : { timeout },
    );
  const deadline = session.now() + (timeout === undefined ? Infinity : durationMs(timeout));
  for (;;) {
    const document = await present(session, target.path, reference);
    const { status } = document;
    const operation = await runningOperation(session, document);
    if (operation === undefined && (status === undefined || settled.has(String(status))))
      return terminal.out(`${reference} is ${String(status ?? 'there')}\n`);
    if (operation === undefined && failed.has(String(status)))
      throw new CommandFailure(
        exitCodes.failed,
        `${reference} is ${String(status)}: ${printable(inline(document['statusReason']))}`,
      );
    if (session.now() >= deadline)
      throw new CommandFailure(
        exitCodes.timeout,
        `${reference} is still ${String(status)} after ${timeout}${operation === undefined ? '' : `; operation ${operation} continues`}`,
      );
    await pause(LOOK_MS, terminal.signal);
  }
}

async function present(session: Session, path: string, reference: string): Promise<Document> {
  try {
    return await session.api.read(path);
  } catch (error) {
    if (error instanceof ProblemError && error.status === 404)
      throw new CommandFailure(exitCodes.refused, `${reference} does not exist (any more)`);
    throw error;
  }
}

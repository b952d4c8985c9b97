import {
  EventStoreUnavailableError,
  WrongExpectedRevisionError,
  type AppendResult,
  type EventStore,
} from '@stave/platform';
import type { ProposedAppend } from './proposed-append.js';

export const MAX_APPEND_BYTES = 1_048_576;

/** The result of an append in the terms of the protocol. */
export type AppendOutcome =
  | { readonly kind: 'success'; readonly revision: number | 'no_stream'; readonly position: number | undefined }
  | { readonly kind: 'conflict'; readonly actual: number | 'no_stream' }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'bad-request'; readonly message: string }
  | { readonly kind: 'unavailable'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string };

/**
 * Runs one append and never rejects. Appends reach the store in call order, except those that expect `stream_exists`.
 */
export async function runAppend(store: EventStore, append: ProposedAppend): Promise<AppendOutcome> {
  if (append.bytes > MAX_APPEND_BYTES) return { kind: 'too-large' };
  try {
    if (append.expected === 'stream_exists' || append.events.length === 0) return await runUnusual(store, append);
    return succeeded(await store.append(append.stream, append.events, append.expected));
  } catch (error) {
    return failure(error);
  }
}

function succeeded({ revision, position }: AppendResult): AppendOutcome {
  return { kind: 'success', revision, position };
}

async function runUnusual(store: EventStore, append: ProposedAppend): Promise<AppendOutcome> {
  const [last] = await store.readStream(append.stream, { direction: 'backwards', limit: 1 });
  const actual = last?.revision ?? 'no_stream';
  const { expected } = append;
  if (expected === 'stream_exists' ? actual === 'no_stream' : expected !== 'any' && expected !== actual) {
    return { kind: 'conflict', actual };
  }
  if (append.events.length === 0) return { kind: 'success', revision: actual, position: last?.position };
  return succeeded(await store.append(append.stream, append.events, 'any'));
}

function failure(error: unknown): AppendOutcome {
  if (error instanceof WrongExpectedRevisionError) return { kind: 'conflict', actual: error.actual };
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof RangeError) return { kind: 'bad-request', message };
  return { kind: error instanceof EventStoreUnavailableError ? 'unavailable' : 'failed', message };
}

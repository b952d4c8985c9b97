import { jsonEvent, type JSONType } from '@eventstore/db-client';
import { append } from '@eventstore/db-client/dist/streams/appendToStream/append.js';
import { EventStoreUnavailableError, type ExpectedRevision, type NewEvent } from '../event-store.port.js';
import { AppendPipeline, BatchAppendMissingError } from './append-pipeline.js';
import type { Appended } from './batch-append.codec.js';
import { orAborted, repeatUntilDeadline } from './repeat-until-deadline.js';
import type { StoreClient } from './store-client.js';
import { translateError } from './translate.js';

/**
 * Appends over BatchAppend, or with one call each when the server does not offer it. An append whose outcome is unknown
 * is repeated with the same event ids until its deadline, so an election of the server's cluster does not fail it.
 * Identical appends that run at the same time share one request: the server would abort the second.
 */
export class Appender {
  private readonly pipeline: AppendPipeline;
  private readonly running = new Map<string, Promise<Appended>>();
  private pipelined = true;

  constructor(
    private readonly client: StoreClient,
    private readonly deadlineMs: number,
    private readonly closing: AbortSignal,
  ) {
    this.pipeline = new AppendPipeline(client);
  }

  /** Rejects with an error of the client, or with EventStoreUnavailableError at the deadline. */
  append(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): Promise<Appended> {
    const key = [stream, expected, ...events.map(({ id }) => id)].join('\n');
    const same = this.running.get(key);
    if (same) return same;
    const { deadlineMs, closing } = this;
    const appended = repeatUntilDeadline(
      (signal, remainingMs) => this.attempt({ stream, events, expected, signal, remainingMs }),
      { deadlineMs, closing, isRepeatable: error => translateError(error) instanceof EventStoreUnavailableError },
    ).finally(() => this.running.delete(key));
    this.running.set(key, appended);
    return appended;
  }

  /** Ends the stream of appends. Appends without an answer reject. */
  close(): void {
    this.pipeline.close();
  }

  private async attempt(call: AppendCall): Promise<Appended> {
    const { stream, events, expected, signal } = call;
    if (!this.pipelined) return this.single(call);
    try {
      return await this.pipeline.append(stream, events, expected, signal);
    } catch (error) {
      if (!(error instanceof BatchAppendMissingError)) throw error;
      this.pipelined = false;
      return this.single(call);
    }
  }

  private async single({ stream, events, expected, signal, remainingMs }: AppendCall): Promise<Appended> {
    const sent = append.call(this.client, stream, events.map(clientEvent), {
      expectedRevision: typeof expected === 'number' ? BigInt(expected) : expected,
      batchAppendSize: 0, // used by BatchAppend only, but the type requires it
      requiresLeader: true,
      deadline: Math.max(1, remainingMs),
    });
    const { nextExpectedRevision, position } = await orAborted(sent, signal);
    return { revision: Number(nextExpectedRevision), ...(position && { position: Number(position.commit) }) };
  }
}

interface AppendCall {
  readonly stream: string;
  readonly events: readonly NewEvent[];
  readonly expected: ExpectedRevision;
  readonly signal: AbortSignal;
  readonly remainingMs: number;
}

/** Converts an event through JSON, as it is sent; the client's type requires JSON values. */
function clientEvent({ id, type, data, metadata }: NewEvent) {
  const json: { data: JSONType; metadata: JSONType } = JSON.parse(JSON.stringify({ data, metadata }));
  return jsonEvent({ id, type, data: json.data, metadata: json.metadata });
}

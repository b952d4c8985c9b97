import { jsonEvent, type JSONType } from '@eventstore/db-client';
import { append } from '@eventstore/db-client/dist/streams/appendToStream/append.js';
import { EventStoreUnavailableError, type ExpectedRevision } from '../event-store.port.js';
import { AppendPipeline, BatchAppendMissingError } from './append-pipeline.js';
import type { Appended } from './batch-append-result.js';
import { beforeDeadline, type CallDeadline } from './call-deadline.js';
import { repeatUntilDeadline } from './repeat-until-deadline.js';
import type { RenewedClient } from './renewed-client.js';
import { translateError } from './translate.js';
import type { SentEvent } from './wire/sent-events.js';

/**
 * Appends over BatchAppend, or with one call each when the server does not offer it. An append whose outcome is unknown
 * is repeated with the same event ids until its deadline, so an election of the server's cluster does not fail it.
 * Identical appends that run at the same time share one request: the server would abort the second.
 */
export class Appender {
  private pipeline: AppendPipeline;
  private readonly running = new Map<string, Promise<Appended>>();
  private pipelined = true;

  constructor(
    private readonly clients: Pick<RenewedClient, 'current'>,
    private readonly deadlineMs: number,
    private readonly closing: AbortSignal,
  ) {
    this.pipeline = new AppendPipeline(clients.current);
  }

  /** Sends appends from now on with the present client. Those that were sent keep the former one until they are answered. */
  renew(): void {
    this.pipeline.retire();
    this.pipeline = new AppendPipeline(this.clients.current);
  }

  /** Rejects with an error of the client, or with EventStoreUnavailableError at the deadline. */
  append(stream: string, events: readonly SentEvent[], expected: ExpectedRevision): Promise<Appended> {
    const key = [stream, expected, ...events.map(({ id }) => id)].join('\n');
    const same = this.running.get(key);
    if (same) return same;
    const { deadlineMs, closing } = this;
    const appended = repeatUntilDeadline(
      (deadline, remainingMs) => this.attempt({ stream, events, expected, deadline, remainingMs }),
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
    const { stream, events, expected, deadline } = call;
    if (!this.pipelined) return this.single(call);
    try {
      return await this.pipeline.append(stream, events, expected, deadline);
    } catch (error) {
      if (!(error instanceof BatchAppendMissingError)) throw error;
      this.pipelined = false;
      return this.single(call);
    }
  }

  private async single({ stream, events, expected, deadline, remainingMs }: AppendCall): Promise<Appended> {
    const sent = append.call(this.clients.current, stream, events.map(clientEvent), {
      expectedRevision: typeof expected === 'number' ? BigInt(expected) : expected,
      batchAppendSize: 0, // used by BatchAppend only, but the type requires it
      requiresLeader: true,
      deadline: Math.max(1, remainingMs),
    });
    const { nextExpectedRevision, position } = await beforeDeadline(sent, deadline);
    return { revision: Number(nextExpectedRevision), ...(position && { position: Number(position.commit) }) };
  }
}

interface AppendCall {
  readonly stream: string;
  readonly events: readonly SentEvent[];
  readonly expected: ExpectedRevision;
  readonly deadline: CallDeadline;
  readonly remainingMs: number;
}

function clientEvent({ id, type, data, metadata }: SentEvent) {
  const json: { data: JSONType; metadata: JSONType } = { data: JSON.parse(data), metadata: JSON.parse(metadata) };
  return jsonEvent({ id, type, ...json });
}

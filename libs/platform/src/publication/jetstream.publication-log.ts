import {
  ErrorCode,
  headers,
  NatsError,
  StorageType,
  type JetStreamClient,
  type JetStreamManager,
  type StreamInfo,
} from 'nats';
import { NatsLink, type NatsOptions } from '../messaging/nats/nats-connection.js';
import {
  PublicationMovedError,
  PublicationUnavailableError,
  type PublicationLog,
  type PublicationTail,
} from './publication-log.port.js';
import { PUBLISHED_STREAM, PUBLISHED_SUBJECTS, type PublishedMessage } from './published-message.js';

const IN_FLIGHT = 256;
const ANSWER_MS = 5_000;
/** Headers of JetStream, which the client sets for messages that are acknowledged. */
const MESSAGE_ID = 'Nats-Msg-Id';
const EXPECTED_STREAM = 'Nats-Expected-Stream';
const EXPECTED_LAST_SEQUENCE = 'Nats-Expected-Last-Sequence';
const NO_STREAM = 10_059;
const NO_MESSAGE = 10_037;
const WRONG_LAST_SEQUENCE = 10_071;
/** JetStream is not enabled: for the account, on the server. */
const NOT_ENABLED: readonly (number | undefined)[] = [10_039, 10_076];

export interface JetStreamPublicationOptions extends NatsOptions {
  /** The maximum bytes of a stream that is created here; beyond it the oldest messages are removed. */
  readonly maxBytes: number;
  /** The number of replicas of a stream that is created here. */
  readonly replicas: number;
}

/** Published events in JetStream. Each message carries the sequence of its predecessor, which keeps the order. */
export class JetStreamPublicationLog implements PublicationLog {
  private readonly client: JetStreamClient;
  /** Whether the last window was not taken. */
  private failed = false;

  private constructor(
    private readonly link: NatsLink,
    private readonly options: JetStreamPublicationOptions,
  ) {
    this.client = link.connection.jetstream({ timeout: ANSWER_MS });
  }

  /** Connects, and waits for the server without a limit. `tail` creates the stream. */
  static async open(options: JetStreamPublicationOptions): Promise<JetStreamPublicationLog> {
    return new JetStreamPublicationLog(await NatsLink.open(options), options);
  }

  async tail(): Promise<PublicationTail> {
    const manager = await this.manager();
    const { state } = await this.stream(manager).catch((error: unknown) => {
      throw isUnavailable(error) ? new PublicationUnavailableError(UNAVAILABLE, { cause: error }) : error;
    });
    if (state.messages === 0) return { sequence: state.last_seq };
    try {
      const last = await manager.streams.getMessage(PUBLISHED_STREAM, { last_by_subj: PUBLISHED_SUBJECTS });
      return { sequence: Math.max(state.last_seq, last.seq), last: last.string() };
    } catch (error) {
      if (codeOf(error) === NO_MESSAGE) throw moved('the last message went away', error);
      throw error;
    }
  }

  async sequence(): Promise<number> {
    const manager = await this.manager();
    try {
      return (await manager.streams.info(PUBLISHED_STREAM)).state.last_seq;
    } catch (error) {
      if (codeOf(error) === NO_STREAM) throw moved('there is no stream', error);
      throw error;
    }
  }

  /**
   * Only the last message of a window is acknowledged: it is taken behind all others of the window or not at all. After a failure
   * every message is, until a window was taken, so that the error of the one that is refused is known.
   */
  async append(messages: readonly PublishedMessage[], after: number): Promise<number> {
    for (let done = 0; done < messages.length; done += IN_FLIGHT) {
      const window = messages.slice(done, done + IN_FLIGHT);
      const acknowledged = this.failed ? 0 : window.length - 1;
      this.failed = true;
      window.slice(0, acknowledged).forEach((message, i) => this.send(message, after + done + i));
      const rest = window.slice(acknowledged);
      const sent = rest.map((message, i) => this.publish(message, after + done + acknowledged + i));
      for (const outcome of await Promise.allSettled(sent)) if (outcome.status === 'rejected') throw outcome.reason;
      this.failed = false;
    }
    return after + messages.length;
  }

  close(): Promise<void> {
    return this.link.close();
  }

  /** Publishes a message without an acknowledgement. */
  private send({ subject, id, text }: PublishedMessage, after: number): void {
    const expected = headers();
    expected.set(MESSAGE_ID, id);
    expected.set(EXPECTED_STREAM, PUBLISHED_STREAM);
    expected.set(EXPECTED_LAST_SEQUENCE, String(after));
    this.link.connection.publish(subject, text, { headers: expected });
  }

  private async publish({ subject, id, text }: PublishedMessage, after: number): Promise<void> {
    const expect = { streamName: PUBLISHED_STREAM, lastSequence: after };
    const { seq, duplicate } = await this.client
      .publish(subject, text, { msgID: id, expect })
      .catch((error: unknown) => {
        if (codeOf(error) === WRONG_LAST_SEQUENCE) throw moved(`not behind message ${after}`, error);
        const isUnanswered = error instanceof NatsError && error.code === ErrorCode.NoResponders && !error.api_error;
        throw isUnanswered ? moved('no stream takes events', error) : error;
      });
    if (duplicate || seq !== after + 1) throw moved(`event ${id} was there as message ${seq}`);
  }

  private async stream(manager: JetStreamManager): Promise<StreamInfo> {
    try {
      return await manager.streams.info(PUBLISHED_STREAM);
    } catch (error) {
      if (codeOf(error) !== NO_STREAM) throw error;
    }
    return manager.streams.add({
      name: PUBLISHED_STREAM,
      description: 'Events of Stave as CloudEvents, for outsiders',
      subjects: [PUBLISHED_SUBJECTS],
      storage: StorageType.File,
      max_bytes: this.options.maxBytes,
      num_replicas: this.options.replicas,
    });
  }

  private manager(): Promise<JetStreamManager> {
    return this.link.connection.jetstreamManager({ timeout: ANSWER_MS, checkAPI: false });
  }
}

const moved = (message: string, cause?: unknown): PublicationMovedError =>
  new PublicationMovedError(message, { cause });

const UNAVAILABLE =
  'NATS has no JetStream that this user may use: enable JetStream, permit $JS.API.> and stave.evt.>, or set PUBLISH_EVENTS=false';

function isUnavailable(error: unknown): boolean {
  if (!(error instanceof NatsError)) return false;
  const isUnanswered = error.code === ErrorCode.JetStreamNotEnabled && !error.api_error;
  return isUnanswered || error.isPermissionError() || NOT_ENABLED.includes(codeOf(error));
}

function codeOf(error: unknown): number | undefined {
  return error instanceof NatsError ? error.api_error?.err_code : undefined;
}

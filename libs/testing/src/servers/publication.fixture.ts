import { randomUUID } from 'node:crypto';
import {
  createLogger,
  EmbeddedEventStore,
  EventPublisher,
  openJetStream,
  PUBLISHED_STREAM,
  type CloudEvent,
  type EventStore,
} from '@stave/platform';
import { eventually } from '@stave/platform/testing';
import { newEvents } from '@stave/service-kit';
import { connect, type NatsConnection, type StoredMsg, type StreamInfo } from 'nats';

export const installation = 'i-1';
const project = randomUUID();
const quiet = createLogger('publication', 'silent');

/** An event log of its own with counted events of a node, some of which are internal. */
export class CountingLog {
  readonly store: Promise<EventStore>;
  private readonly node = `node-${randomUUID()}`;
  private next = 0;

  /** `shownAs` shows the store in another way, for example with sparse positions. */
  constructor(directory: string, shownAs: (store: EventStore) => EventStore = store => store) {
    this.store = EmbeddedEventStore.open({ directory }).then(shownAs);
  }

  async begin(): Promise<void> {
    await this.append('installation', 'InstallationCreated', { id: installation }, -1);
  }

  /** Appends `count` public events, and an internal one after each tenth. */
  async add(count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      const n = this.next++;
      await this.append(this.node, 'NodeCordoned', { n }, n - 1);
      if (n % 10 === 0) await this.append(`name-${randomUUID()}`, 'NameReserved', { n }, -1);
    }
  }

  get shown(): number {
    return this.next;
  }

  async append(stream: string, type: string, data: object, after: number): Promise<void> {
    const context = { correlationId: 'c', actor: 'a', project, clusterId: 'k' };
    const events = newEvents(stream, after, [{ type, data }], context, new Date().toISOString());
    await (await this.store).append(stream, events, after < 0 ? 'no_stream' : after);
  }
}

export interface RunningPublisher {
  stop(): Promise<void>;
  /** Cuts the connection first, as a SIGKILL does. */
  cut(): Promise<void>;
}

/** Starts a publisher with a connection of its own; its log messages are added to `said`. */
export async function publisherOf(
  log: CountingLog,
  servers: string,
  said: string[] = [],
  replicas = 1,
): Promise<RunningPublisher> {
  const publication = await openJetStream({ servers, name: 'publisher', maxBytes: 64 * 1024 * 1024, replicas });
  const speak = (_fields: object, message: string): void => void said.push(message);
  const logger = Object.assign(Object.create(quiet), { info: speak, warn: speak, error: speak });
  const publisher = new EventPublisher({
    eventStore: await log.store,
    publication,
    log: logger,
    checkMs: 200,
    retryMs: 50,
    unavailableMs: 50,
  });
  publisher.start();
  return {
    stop: async () => {
      await publisher.stop();
      await publication.close();
    },
    cut: async () => {
      await publication.close();
      await publisher.stop();
    },
  };
}

/** An external consumer of the published stream. */
export class Outsider {
  private constructor(readonly connection: NatsConnection) {}

  static async connect(url: string): Promise<Outsider> {
    return new Outsider(await connect({ servers: url.split(','), maxReconnectAttempts: -1, reconnectTimeWait: 100 }));
  }

  async count(): Promise<number> {
    return (await this.info()).state.messages;
  }

  async info(): Promise<StreamInfo> {
    const manager = await this.connection.jetstreamManager({ checkAPI: false });
    return manager.streams.info(PUBLISHED_STREAM);
  }

  /** Returns all retained messages in order. Questions are repeated, because servers refuse them while they elect a leader. */
  async all(): Promise<{ readonly message: StoredMsg; readonly event: CloudEvent }[]> {
    const manager = await this.connection.jetstreamManager({ checkAPI: false });
    const { first_seq, last_seq } = (await eventually(() => this.info(), 'JetStream describes the stream')).state;
    const found = [];
    for (let seq = first_seq; seq <= last_seq; seq++) {
      const get = (): Promise<StoredMsg> => manager.streams.getMessage(PUBLISHED_STREAM, { seq });
      const message = await eventually(get, `JetStream returns message ${seq}`);
      found.push({ message, event: message.json<CloudEvent>() });
    }
    return found;
  }

  async numbers(): Promise<unknown[]> {
    return (await this.all()).map(({ event }) => (event.data as { readonly n?: number }).n);
  }
}

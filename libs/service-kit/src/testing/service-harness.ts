import { commandSubject, type RequestMeta, type ServiceName } from '@stave/contracts';
import type { DomainEvent } from '@stave/domain';
import {
  createLogger,
  EmbeddedEventStore,
  MemoryBroker,
  MemoryDocumentStore,
  MemoryMessaging,
  type RecordedEvent,
} from '@stave/platform';
import { v7 as uuidv7 } from 'uuid';
import { ask } from '../composition/ask.js';
import type { RunningService } from '../composition/run-service.js';
import type { ServicePorts } from '../composition/ports.js';
import { newEvents } from '../resources/new-events.js';
import { PROJECT } from './fleet-events.js';

const REQUEST_TIMEOUT_MS = 60_000;
const APPENDED_AT = '2026-01-01T00:00:00.000Z';

export interface HarnessOptions {
  readonly service: ServiceName;
  readonly start: (ports: ServicePorts) => Promise<RunningService>;
}

/** A running replica. Its messaging is its own, so it is the leader of its own election, whatever other replicas do. */
export interface Replica {
  readonly documents: MemoryDocumentStore;
  readonly messaging: MemoryMessaging;
  /** Sends a request as a member of the test project. Rejects with the RefusedError of the service. */
  ask<D>(resource: string, verb: string, body: object, meta?: Partial<RequestMeta>): Promise<D>;
  stop(): Promise<void>;
}

/** Runs replicas of one service on one event log in memory. Tests append the events of conductors and of other services. */
export class ServiceHarness {
  private readonly replicas: Replica[] = [];

  constructor(
    readonly store: EmbeddedEventStore,
    private readonly options: HarnessOptions,
  ) {}

  async replica(documents?: MemoryDocumentStore): Promise<Replica> {
    const { service, start } = this.options;
    const broker = new MemoryBroker();
    const [inside, messaging] = [new MemoryMessaging(broker), new MemoryMessaging(broker)];
    const documentStore = documents ?? new MemoryDocumentStore();
    const ports = { eventStore: this.store, documentStore, messaging: inside, log: createLogger(service, 'silent') };
    const running = await start(ports);
    const replica: Replica = {
      documents: documentStore,
      messaging,
      ask: (resource, verb, body, meta) => askAsMember(messaging, commandSubject(service, resource, verb), body, meta),
      stop: async () => {
        this.replicas.splice(this.replicas.indexOf(replica), 1);
        await running.close();
        await messaging.close();
        await inside.close();
      },
    };
    this.replicas.push(replica);
    return replica;
  }

  /** The oldest replica that runs. */
  get first(): Replica {
    const [first] = this.replicas;
    if (!first) throw new Error('no replica runs');
    return first;
  }

  async close(): Promise<void> {
    for (const replica of [...this.replicas]) await replica.stop();
    await this.store.close();
  }

  async append(stream: string, ...events: readonly DomainEvent[]): Promise<void> {
    const after = (await this.store.readStream(stream)).length - 1;
    const context = { correlationId: uuidv7(), actor: 'test', project: PROJECT };
    const appended = newEvents(stream, after, events, context, APPENDED_AT);
    await this.store.append(stream, appended, after < 0 ? 'no_stream' : after);
  }

  /** Returns every event in the log, or those of one type. */
  async all(type?: string): Promise<readonly RecordedEvent[]> {
    const events = await this.store.readAll({ limit: 100_000 });
    return events.filter(e => type === undefined || e.type === type);
  }

  async events(stream: string, type?: string): Promise<readonly RecordedEvent[]> {
    return (await this.store.readStream(stream)).filter(e => type === undefined || e.type === type);
  }
}

async function askAsMember<D>(
  messaging: MemoryMessaging,
  subject: string,
  body: object,
  meta: Partial<RequestMeta> = {},
): Promise<D> {
  const actor = { keyId: 'k', role: 'member', project: PROJECT } as const;
  const request = { meta: { correlationId: uuidv7(), actor, ...meta }, body };
  return (await ask<D>(messaging, subject, request, REQUEST_TIMEOUT_MS)).data;
}

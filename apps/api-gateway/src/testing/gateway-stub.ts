import {
  commandSubject,
  type AuditEntry,
  type VerifiedKey,
  type ServiceName,
  type ServiceReply,
  type ServiceRequest,
} from '@stave/contracts';
import {
  createLogger,
  EmbeddedEventStore,
  MemoryBroker,
  MemoryMessaging,
  type EventMetadata,
  type NewEvent,
} from '@stave/platform';
import { randomUUID } from 'node:crypto';
import { createGateway, type Gateway, type GatewayOptions } from '../create-gateway.js';

export interface Seen {
  readonly subject: string;
  readonly request: ServiceRequest<Record<string, unknown>>;
}

export const keys = {
  admin: { keyId: 'k-admin', role: 'admin', project: null },
  member: { keyId: 'k-member', role: 'member', project: 'p1' },
  reader: { keyId: 'k-reader', role: 'reader', project: 'p1' },
} as const;

export const aResource = (more: object = {}): object => ({
  id: '0198c5a0-0000-7000-8000-000000000001',
  name: 'web',
  projectId: 'p1',
  createdAt: '2026-01-02T03:04:05.678Z',
  updatedAt: '2026-01-02T03:04:05.678Z',
  revision: 3,
  ...more,
});

export const anEvent = (type: string, metadata: Partial<EventMetadata> = {}, data: object = {}): NewEvent => ({
  id: randomUUID(),
  type,
  data,
  metadata: { schemaVersion: 1, time: new Date().toISOString(), correlationId: 'c', project: 'p1', ...metadata },
});

/** A gateway over in-process adapters. Handlers of the test stand in for services, and their requests are recorded. */
export class GatewayStub {
  readonly seen: Seen[] = [];
  /** What the gateway has added to the audit. */
  readonly audited: AuditEntry[] = [];
  private readonly messaging: MemoryMessaging;
  private verifications = 0;
  /** What verifications answer differently. */
  changed: Partial<VerifiedKey> = {};
  /** Replicas know the projects from this position on. */
  projectsSince = -1;

  private constructor(
    private readonly broker: MemoryBroker,
    readonly store: EmbeddedEventStore,
  ) {
    this.messaging = new MemoryMessaging(broker);
  }

  gateway: Gateway = { url: '', close: async () => undefined };

  static async start(options: Partial<GatewayOptions> = {}, { withoutAudit = false } = {}): Promise<GatewayStub> {
    const stub = new GatewayStub(new MemoryBroker(), await EmbeddedEventStore.open({ memory: true }));
    stub.serveKeys();
    stub.serveProjects();
    if (!withoutAudit) stub.serveAudit();
    const ports = { messaging: new MemoryMessaging(stub.broker), eventStore: stub.store };
    const log = createLogger('api-gateway', 'silent');
    stub.gateway = await createGateway({ ...ports, log, host: '127.0.0.1', port: 0, ...options });
    return stub;
  }

  get verified(): number {
    return this.verifications;
  }

  get url(): string {
    return this.gateway.url;
  }

  /** The last request that a service received. */
  get last(): Seen {
    const seen = this.seen.at(-1);
    if (!seen) throw new Error('no service received a request');
    return seen;
  }

  serve(
    service: ServiceName,
    resource: string,
    verb: string,
    answer: (request: ServiceRequest<Record<string, unknown>>) => ServiceReply | Promise<ServiceReply>,
  ): void {
    this.messaging.serve(commandSubject(service, resource, verb), service, async (payload, subject) => {
      const request = payload as ServiceRequest<Record<string, unknown>>;
      this.seen.push({ subject, request });
      return answer(request);
    });
  }

  /** Like `serve`, on any subject and without a record. */
  answer(subject: string, answer: (payload: unknown) => Promise<ServiceReply>): void {
    this.messaging.serve(subject, 'test', answer);
  }

  /** Sends a request with the key of this name; bodies that are not text are sent as JSON. */
  call(method: string, path: string, { key = 'admin', body, headers = {} }: CallOptions = {}): Promise<Response> {
    const text =
      body === undefined || typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
    const sent: Record<string, string> = {};
    if (text !== undefined) sent['content-type'] = 'application/json';
    if (key !== null) sent['authorization'] = `Bearer ${key}`;
    const init = { method, headers: { ...sent, ...headers } };
    return fetch(this.url + path, text === undefined ? init : { ...init, body: (text as RequestInit['body']) ?? null });
  }

  /** Receives what the gateway publishes. */
  subscribe(subject: string, handler: (payload: unknown) => void): void {
    this.messaging.subscribe(subject, handler);
  }

  async close(): Promise<void> {
    await this.gateway.close();
    await this.store.close();
  }

  private serveProjects(): void {
    const project = (id: string): object => ({ id, name: `name of ${id}` });
    const on = (verb: string, answer: (id: string) => unknown): void =>
      void this.messaging.serve(
        commandSubject('cluster-service', 'project', verb),
        'cluster-service',
        async payload => {
          const { body, meta } = payload as ServiceRequest<{ readonly id?: string }>;
          if ((meta.minPosition ?? -1) < this.projectsSince) return { ok: false, error: unknownProject };
          return { ok: true, data: answer(body.id ?? '') };
        },
      );
    on('get', project);
    on('memberships', () => []);
    on('list', () => ({ items: ['default', 'p1'].map(project) }));
  }

  private serveAudit(): void {
    this.messaging.serve(commandSubject('cluster-service', 'audit', 'record'), 'cluster-service', async payload => {
      const { entries } = (payload as ServiceRequest<{ readonly entries: readonly AuditEntry[] }>).body;
      this.audited.push(...entries);
      return { ok: true, data: { recorded: entries.length } };
    });
  }

  private serveKeys(): void {
    this.messaging.serve(commandSubject('cluster-service', 'api-key', 'verify'), 'cluster-service', async payload => {
      this.verifications++;
      const { key } = (payload as ServiceRequest<{ key: keyof typeof keys }>).body;
      const data = keys[key];
      return data
        ? {
            ok: true,
            data: { ...verified, ...data, ...this.changed },
          }
        : { ok: false, error: { code: 'unauthenticated', kind: 'unauthenticated', detail: 'no' } };
    });
  }
}

export interface CallOptions {
  readonly key?: string | null;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

const verified = { rotation: 0, expiresAt: null, validUntil: null, isDisabled: false, position: -1 };
const unknownProject = { code: 'not-found', kind: 'not-found', detail: 'the project does not exist' };

import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { keyUsageSubject, type KeyUses as ReportedUses } from '@stave/contracts';
import { idOf, type DocumentCollection, type MessageSubscription } from '@stave/platform';
import {
  Feed,
  LeaderTasks,
  SERVICE_OPTIONS,
  ServiceSnapshots,
  type Folded,
  type LeaderTask,
  type ServiceOptions,
} from '@stave/service-kit';
import { ApiKeyProjection } from './api-keys.js';

const SAVE_MS = 15_000;
const LOAD_AGAIN_MS = 5_000;

/** When API keys were last used, as gateways report it. It is telemetry: no event, and kept beside the read models, up to half a minute late. */
@Injectable()
export class KeyUses implements Folded, LeaderTask, OnApplicationBootstrap, OnApplicationShutdown {
  /** ISO 8601 in UTC, by key. */
  private readonly last = new Map<string, string>();
  private readonly unsaved = new Set<string>();
  private documents: DocumentCollection | undefined;
  private subscription: MessageSubscription | undefined;
  private timer: NodeJS.Timeout | undefined;
  private loadTimer: NodeJS.Timeout | undefined;
  private saving: Promise<void> = Promise.resolve();

  readonly unfolded = ['unsaved', 'keys'];

  constructor(
    @Inject(SERVICE_OPTIONS) private readonly options: Pick<ServiceOptions, 'documentStore' | 'messaging' | 'log'>,
    snapshots: ServiceSnapshots,
    leader: LeaderTasks,
    private readonly keys: ApiKeyProjection,
    feed: Feed,
  ) {
    snapshots.add('key-uses', this);
    leader.add(this);
    feed.on('apiKey', event => {
      if (event.type === 'ApiKeyRevoked') this.forget(idOf(event));
    });
  }

  get folded(): Folded['folded'] {
    return { last: this.last };
  }

  onApplicationBootstrap(): void {
    this.subscription = this.options.messaging.subscribe(keyUsageSubject, payload => {
      if (isReport(payload)) for (const [id, at] of Object.entries(payload.uses)) this.note(id, at);
    });
    void this.load();
  }

  /** Returns when the key was last used; null when it was not. */
  lastUse(keyId: string): string | null {
    return this.last.get(keyId) ?? null;
  }

  start(): void {
    this.timer = setInterval(() => this.save(), SAVE_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.save();
    await this.saving;
  }

  async onApplicationShutdown(): Promise<void> {
    clearTimeout(this.loadTimer);
    await this.subscription?.close();
  }

  /** A document store that is away does not keep the service from starting. */
  private async load(): Promise<void> {
    try {
      const documents = await this.options.documentStore.collection('apiKeyUses');
      for (const { _id, at } of await documents.find({})) this.note(_id, String(at));
      this.documents = documents;
    } catch (err) {
      this.options.log.warn({ err }, 'the times of the last use of API keys cannot be read; it is tried again');
      this.loadTimer = setTimeout(() => void this.load(), LOAD_AGAIN_MS).unref();
    }
  }

  private note(id: string, at: string): void {
    const key = this.keys.model.get(id);
    if (!key || key.deleted) return;
    const before = this.last.get(id);
    if (before !== undefined && before >= at) return;
    this.last.set(id, at);
    this.unsaved.add(id);
  }

  private forget(id: string): void {
    if (this.last.delete(id)) this.unsaved.add(id);
  }

  /** Keys that cannot be saved now are saved with the next ones. */
  private save(): void {
    const { documents } = this;
    const ids = [...this.unsaved];
    if (!documents || ids.length === 0) return;
    this.unsaved.clear();
    const writes = ids.map(_id => {
      const at = this.last.get(_id);
      return at === undefined ? { remove: _id } : { replace: { _id, at, position: Date.parse(at) } };
    });
    this.saving = this.saving
      .then(() => documents.write(writes))
      .catch((err: unknown) => {
        for (const id of ids) this.unsaved.add(id);
        this.options.log.warn({ err }, 'the times of the last use of API keys are not saved; it is tried again');
      });
  }
}

function isReport(payload: unknown): payload is ReportedUses {
  const { uses }: Partial<ReportedUses> = Object(payload);
  return typeof uses === 'object' && uses !== null && Object.values(uses).every(at => typeof at === 'string');
}

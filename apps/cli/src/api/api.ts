import {
  StaveClient,
  type Answer,
  type Operation,
  type Plan,
  type StaveEvent,
  type EventOptions,
  type WaitOptions,
} from '@stave/client';
import type { Connection } from '../settings/connection.js';

/** A resource, or any other object that the API answers. */
export type Document = Readonly<Record<string, unknown>>;
/** Whether a value is an object with members. */
export const isDocument = (value: unknown): value is Document =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export type Query = Readonly<Record<string, unknown>>;
export type ChangeMethod = 'post' | 'put' | 'patch' | 'delete';

export interface Change {
  readonly method: ChangeMethod;
  readonly path: string;
  readonly query?: Query | undefined;
  readonly body?: unknown;
  readonly ifMatch?: string | undefined;
  readonly idempotencyKey: string;
}

/** The same functions without the types of each path: the command line takes nouns and members from its user. */
interface AnyPath {
  get(path: string, options: object): Promise<Answer<unknown>>;
  items(path: string, options: object): AsyncGenerator<Document, void>;
  pages(path: string, options: object): AsyncGenerator<{ items: Document[]; total?: number }, void>;
  text(path: string, options: object): AsyncGenerator<string, void>;
  plan(method: ChangeMethod, path: string, options: object): Promise<Plan<unknown>>;
}
type AnyChange = Record<ChangeMethod, (path: string, options: object) => Promise<Answer<unknown>>>;

/** Requests of the command line. Throws the errors of the client. `path` is complete: its references are encoded. */
export class Api {
  private readonly client: StaveClient;
  private readonly any: AnyPath & AnyChange;

  constructor(
    readonly connection: Connection,
    private readonly signal: AbortSignal,
    send?: typeof fetch,
  ) {
    const { url, token, project } = connection;
    this.client = new StaveClient({
      url,
      ...(token === undefined ? {} : { token }),
      ...(project === undefined ? {} : { project }),
      ...(send ? { fetch: send } : {}),
    });
    this.any = this.client as unknown as AnyPath & AnyChange;
  }

  async read<T = Document>(path: string, query: Query = {}): Promise<T> {
    return (await this.any.get(path, { query, signal: this.signal })).data as T;
  }

  async readWithTag(path: string, query: Query = {}): Promise<Answer<Document>> {
    return (await this.any.get(path, { query, signal: this.signal })) as Answer<Document>;
  }

  items(path: string, query: Query = {}): AsyncGenerator<Document, void> {
    return this.any.items(path, { query, signal: this.signal });
  }

  pages(path: string, query: Query = {}): AsyncGenerator<{ items: Document[]; total?: number }, void> {
    return this.any.pages(path, { query, signal: this.signal });
  }

  text(path: string, query: Query = {}): AsyncGenerator<string, void> {
    return this.any.text(path, { query, signal: this.signal });
  }

  events(options: EventOptions): AsyncGenerator<StaveEvent, void> {
    return this.client.events({ ...options, signal: this.signal });
  }

  change({ method, path, ...options }: Change): Promise<Answer<Document>> {
    return this.any[method](path, { ...options, signal: this.signal }) as Promise<Answer<Document>>;
  }

  plan({ method, path, ...options }: Change): Promise<Plan<unknown>> {
    return this.any.plan(method, path, { ...options, signal: this.signal });
  }

  wait(operation: string, options: WaitOptions = {}): Promise<Operation> {
    return this.client.wait(operation, { ...options, signal: this.signal });
  }
}

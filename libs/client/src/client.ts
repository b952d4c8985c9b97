import { answerOf, type Answer } from './answer.js';
import type { Operation } from './errors.js';
import { bodyText } from './body-text.js';
import { followEvents, type EventOptions, type StaveEvent } from './events.js';
import { Plan, type PlanDocument } from './plan.js';
import { pathText, queryText, randomKey } from './request-text.js';
import { Transport, type Request, type TransportOptions } from './transport.js';
import type {
  Arguments,
  CallOptions,
  Change,
  ChangeOptions,
  ChosenOf,
  DataOf,
  ItemOf,
  ListPath,
  Method,
  OperationOf,
  OptionsOf,
  PageOf,
  PathOf,
  WithFields,
} from './typed-paths.js';
import { waitForEnd, type WaitOptions } from './wait.js';

type Values = Readonly<Record<string, unknown>>;

/** Options of any request, after its types have been checked. */
interface Untyped extends CallOptions, ChangeOptions {
  readonly path?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
}

type Result<M extends Method, P extends PathOf<M>> = Promise<Answer<DataOf<OperationOf<M, P>>>>;

const quoted = (ifMatch: string | number): string => (typeof ifMatch === 'number' ? `"${ifMatch}"` : ifMatch);

/**
 * A client of the REST API. Every method throws ProblemError when the API refuses a request, ConnectionError when no answer arrives, and the
 * reason of the signal. Requests that were refused for a time or lost are repeated, changes with one idempotency key. A read shows every
 * change that was answered before it.
 */
export class StaveClient {
  private readonly transport: Transport;
  /** The highest position of the log that an answer has shown. */
  private position = -1;

  /** Throws StaveError for an address that cannot be used. */
  constructor(options: TransportOptions) {
    this.transport = new Transport(options);
  }

  get<P extends PathOf<'get'>>(
    path: P,
    options: OptionsOf<'get', P> & WithFields,
  ): Promise<Answer<ChosenOf<DataOf<OperationOf<'get', P>>>>>;
  get<P extends PathOf<'get'>>(path: P, ...options: Arguments<OptionsOf<'get', P>>): Result<'get', P>;
  get(path: string, options: Untyped = {}): Promise<Answer<never>> {
    return this.call('get', path, options);
  }

  post<P extends PathOf<'post'>>(path: P, ...[options]: Arguments<OptionsOf<'post', P>>): Result<'post', P> {
    return this.call('post', path, options);
  }

  put<P extends PathOf<'put'>>(path: P, ...[options]: Arguments<OptionsOf<'put', P>>): Result<'put', P> {
    return this.call('put', path, options);
  }

  /** `body` is a JSON Merge Patch: members with null are removed. */
  patch<P extends PathOf<'patch'>>(path: P, ...[options]: Arguments<OptionsOf<'patch', P>>): Result<'patch', P> {
    return this.call('patch', path, options);
  }

  delete<P extends PathOf<'delete'>>(path: P, ...[options]: Arguments<OptionsOf<'delete', P>>): Result<'delete', P> {
    return this.call('delete', path, options);
  }

  /** Yields the pages of a list. */
  async *pages<P extends ListPath>(
    path: P,
    ...[options]: Arguments<OptionsOf<'get', P>>
  ): AsyncGenerator<PageOf<P>, void> {
    const given: Untyped = options ?? {};
    let cursor: string | null = null;
    do {
      const query: Values = { ...Object(given.query), ...(cursor === null ? {} : { cursor }) };
      const { data } = await this.call<PageOf<P>>('get', path, { ...given, query });
      yield data;
      cursor = (data as { readonly nextCursor: string | null }).nextCursor;
    } while (cursor !== null);
  }

  /** Yields the items of a list, and reads its pages as they are needed. */
  async *items<P extends ListPath>(
    path: P,
    ...options: Arguments<OptionsOf<'get', P>>
  ): AsyncGenerator<ItemOf<P>, void> {
    for await (const page of this.pages(path, ...options))
      yield* (page as { readonly items: Iterable<ItemOf<P>> }).items;
  }

  /** Yields events, each once, over any number of connections. See `followEvents` for errors. */
  events(options: EventOptions = {}): AsyncGenerator<StaveEvent, void> {
    return followEvents(this.transport, options);
  }

  /** Makes later reads show everything up to a position that an event, or another client, has named. */
  seen(position: number): void {
    this.position = Math.max(this.position, position);
  }

  /** Yields an answer in plain text as it arrives, such as a log that is followed. It is not resumed: throws ConnectionError when it is cut. */
  async *text<P extends PathOf<'get'>>(
    path: P,
    ...[options]: Arguments<OptionsOf<'get', P>>
  ): AsyncGenerator<string, void> {
    const request = this.request('get', path, { ...options });
    const opened = await this.transport.open({ ...request, headers: { ...request.headers, accept: 'text/plain' } });
    yield* bodyText(`GET ${path}`, opened, Infinity);
  }

  /** Returns what the change would do. Nothing is changed before `apply()`. */
  async plan<M extends Change, P extends PathOf<M>>(
    method: M,
    path: P,
    ...[options]: Arguments<OptionsOf<M, P>>
  ): Promise<Plan<DataOf<OperationOf<M, P>>>> {
    const given: Untyped = { idempotencyKey: randomKey(), ...options };
    const withQuery = (more: Values): Untyped => ({ ...given, query: { ...Object(given.query), ...more } });
    const { data } = await this.call<PlanDocument>(method, path, withQuery({ dryRun: true }));
    return new Plan(data, planToken => this.call(method, path, withQuery({ planToken })));
  }

  /**
   * Waits for the end of an operation and returns it. An answer to a change that started none has nothing to wait for: returns undefined.
   * Throws OperationError when the operation failed or was cancelled, WaitTimeoutError when it still runs after `timeoutMs`.
   */
  wait(operation: string, options?: WaitOptions): Promise<Operation>;
  wait(answer: Answer<unknown>, options?: WaitOptions): Promise<Operation | undefined>;
  async wait(of: string | Answer<unknown>, options: WaitOptions = {}): Promise<Operation | undefined> {
    const id = typeof of === 'string' ? of : of.operationId;
    if (id === undefined) return undefined;
    const read = async (waitMs: number): Promise<Operation> => {
      const query = waitMs === 0 ? {} : { wait: `${waitMs}ms` };
      const { signal } = options;
      const call: Untyped = { path: { id }, query, timeoutMs: waitMs + 30_000, ...(signal ? { signal } : {}) };
      return (await this.call<Operation>('get', '/v1/operations/{id}', call)).data;
    };
    return waitForEnd(read, options);
  }

  private async call<T>(method: Method, path: string, options: Untyped = {}): Promise<Answer<T>> {
    const answer = answerOf<T>(path, await this.transport.send(this.request(method, path, options)));
    this.position = Math.max(this.position, answer.position ?? -1);
    return answer;
  }

  private request(method: Method, path: string, options: Untyped): Request {
    const { query, body, signal, timeoutMs } = options;
    return {
      method: method.toUpperCase(),
      path: pathText(path, options.path) + queryText(query),
      headers: { accept: 'application/json', ...this.headersOf(method, options) },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
      timeoutMs,
    };
  }

  private headersOf(method: Method, options: Untyped): Record<string, string> {
    const { body, correlationId, ifMatch, idempotencyKey = randomKey() } = options;
    return {
      ...(correlationId === undefined ? {} : { 'x-correlation-id': correlationId }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(ifMatch === undefined ? {} : { 'if-match': quoted(ifMatch) }),
      ...(method === 'get' ? {} : { 'idempotency-key': idempotencyKey }),
      ...(method === 'get' && this.position >= 0 ? { 'stave-min-position': String(this.position) } : {}),
    };
  }
}

import { ProblemError, StaveClient } from '@stave/client';
import { tokenOf } from './credential.js';
import type { Changes, Created, Credential, LiveState } from './messages.js';

const GATHER_MS = 250;
const LOOK_MS = 1_000;

interface Listener {
  readonly changed: (changes: Changes) => void;
  readonly state: (state: LiveState) => void;
  /** The API takes the credential no more. */
  readonly refused: () => void;
}

/** Follows the events of the API with one connection, and reports what changed four times a second at most. */
export class LiveStream {
  private readonly ended = new AbortController();
  private ids = new Set<string>();
  private types = new Set<string>();
  private created: Created[] = [];
  private position = -1;
  private isConfirming = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly url: string,
    private readonly credential: Credential,
    private readonly listener: Listener,
  ) {
    void this.follow();
  }

  stop(): void {
    this.ended.abort();
    clearTimeout(this.timer);
    this.listener.state('off');
  }

  /** Reads until the stream is stopped, or the API refuses it; begins again where the API had no answer, also the first time. */
  private async follow(): Promise<void> {
    const { listener, ended } = this;
    const client = new StaveClient({ url: this.url, token: () => tokenOf(this.credential) });
    listener.state('connecting');
    while (!ended.signal.aborted) {
      try {
        await this.read(client);
      } catch (error) {
        if (ended.signal.aborted) return;
        if (isRefusal(error)) {
          listener.state('off');
          if (error.status === 401) listener.refused();
          return;
        }
        listener.state('reconnecting');
        await new Promise(resolve => setTimeout(resolve, LOOK_MS));
      }
    }
  }

  private async read(client: StaveClient): Promise<void> {
    const { listener, ended } = this;
    // the answer names the position of the log: the stream begins there, and its first event is not needed to know that it is open
    const { position } = await client.get('/v1/clusters', { query: { limit: 1 }, signal: ended.signal });
    listener.state('live');
    const from = position === undefined ? 'now' : String(position);
    const onDisconnect = (): void => {
      listener.state('reconnecting');
      void this.confirm(client);
    };
    for await (const event of client.events({ from, signal: ended.signal, onDisconnect })) {
      listener.state('live');
      this.take(event);
    }
  }

  /** A stream that was opened again is silent until the next event: an answer shows that the API is back. */
  private async confirm(client: StaveClient): Promise<void> {
    if (this.isConfirming) return;
    this.isConfirming = true;
    const { signal } = this.ended;
    while (!signal.aborted) {
      try {
        await client.get('/v1/whoami', { signal });
        this.listener.state('live');
        break;
      } catch (error) {
        if (isRefusal(error)) break;
        await new Promise(resolve => setTimeout(resolve, LOOK_MS));
      }
    }
    this.isConfirming = false;
  }

  private take(event: {
    readonly type: string;
    readonly subject: string;
    readonly position: string;
    readonly cluster?: string;
    readonly operationid?: string;
  }): void {
    const [type = '', id] = event.subject.split('/');
    const isNew = /\.(?:created|declared)\.v[0-9]+$/.test(event.type);
    if (isNew && id) this.created.push({ type, id, cluster: event.cluster });
    for (const one of [id, event.cluster, event.operationid]) if (one) this.ids.add(one);
    this.types.add(type);
    this.position = Math.max(this.position, Number(event.position));
    this.timer ??= setTimeout(() => this.report(), GATHER_MS);
  }

  private report(): void {
    const { ids, types, created, position } = this;
    const changes = { ids: [...ids], types: [...types], created, position };
    [this.ids, this.types, this.created, this.timer] = [new Set(), new Set(), [], undefined];
    this.listener.changed(changes);
  }
}

const isRefusal = (error: unknown): error is ProblemError => error instanceof ProblemError && error.status < 500;

import { StaveClient } from '@stave/client';
import { useSyncExternalStore } from 'react';
import { tokenOf } from './credential.js';
import type { Changes, Credential, FromWorker, LiveState, ToWorker } from './messages.js';

interface State {
  /** undefined: the worker has not answered yet. */
  readonly credential: Credential | null | undefined;
  /** The issuers at which this browser can sign in. */
  readonly issuers: readonly string[];
  /** Why the last session has ended. */
  readonly notice: string | undefined;
  readonly live: LiveState;
}

/**
 * The page's side of the session. An API key is in memory only, of this page and of the worker that all pages share; the cookie of a sign-in at
 * an issuer is the browser's, and no script reads it.
 */
class Session {
  private state: State = { credential: undefined, issuers: [], notice: undefined, live: 'off' };
  private readonly watchers = new Set<() => void>();
  private readonly listeners = new Set<(changes: Changes) => void>();
  private readonly worker = new SharedWorker(new URL('./session.worker.ts', import.meta.url), {
    type: 'module',
    name: 'stave',
  });
  readonly client = new StaveClient({ url: location.origin, token: () => tokenOf(this.state.credential) });

  constructor() {
    this.worker.port.onmessage = ({ data }: MessageEvent<FromWorker>) => this.take(data);
    this.send({ kind: 'hello' });
    addEventListener('pagehide', () => this.send({ kind: 'goodbye' }));
    addEventListener('pageshow', ({ persisted }) => {
      if (persisted) this.send({ kind: 'hello' });
    });
  }

  readonly watch = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  };

  readonly current = (): State => this.state;

  /** Calls the listener with what events changed. Returns a function that ends it. */
  onChanges(listener: (changes: Changes) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  signIn(key: string): void {
    this.send({ kind: 'sign-in', key });
  }

  signOut(): void {
    this.send({ kind: 'sign-out' });
  }

  private send(message: ToWorker): void {
    this.worker.port.postMessage(message);
  }

  private take(message: FromWorker): void {
    if (message.kind === 'changes') {
      this.client.seen(message.changes.position);
      for (const listener of this.listeners) listener(message.changes);
      return;
    }
    this.state =
      message.kind === 'session'
        ? {
            ...this.state,
            credential: message.credential,
            issuers: message.issuers,
            notice: message.notice,
          }
        : { ...this.state, live: message.state };
    for (const watcher of this.watchers) watcher();
  }
}

export const session = new Session();

export const useSession = (): State => useSyncExternalStore(session.watch, session.current);

import { ProblemError, StaveClient } from '@stave/client';
import { LiveStream } from './live-stream.js';
import type { Credential, FromWorker, LiveState, SessionMessage, ToWorker } from './messages.js';

declare const self: {
  readonly location: Location;
  onconnect: ((event: MessageEvent) => void) | null;
};

/**
 * One for all pages of a browser: holds an API key in memory, and follows the events with one connection. A stream for each page would use
 * up the six connections that a browser opens to a server.
 */
const pages = new Set<MessagePort>();
/** Sends what the browser itself adds: the cookie of its session. */
const browser = new StaveClient({ url: self.location.origin });
let credential: Credential | null = null;
let issuers: readonly string[] = [];
let live: LiveState = 'off';
let stream: LiveStream | undefined;
let finding: Promise<void> | undefined;

const endings = {
  key: 'The key you were signed in with was revoked or has expired.',
  cookie: 'Your sign-in has ended: sign in again to continue on this page.',
} as const;

function send(message: FromWorker): void {
  for (const page of pages) page.postMessage(message);
}

const sessionMessage = (notice?: string): SessionMessage => ({
  kind: 'session',
  ...{ credential, issuers },
  ...(notice !== undefined && { notice }),
});

function restart(): void {
  stream?.stop();
  stream = undefined;
  if (credential === null || pages.size === 0) return;
  const { kind } = credential;
  stream = new LiveStream(self.location.origin, credential, {
    changed: changes => send({ kind: 'changes', changes }),
    state: state => {
      if (state === live) return;
      live = state;
      send({ kind: 'live', state });
    },
    refused: () => use(null, endings[kind]),
  });
}

function use(next: Credential | null, notice?: string): void {
  credential = next;
  send(sessionMessage(notice));
  restart();
}

/** Whether the browser has the cookie of a session. */
async function hasCookie(): Promise<boolean> {
  try {
    await browser.get('/v1/whoami');
    return true;
  } catch (error) {
    if (error instanceof ProblemError && error.status === 401) return false;
    throw error;
  }
}

/** Asks how to sign in, and whether this browser has. A page that was sent back by an issuer has a cookie, and the other pages, too. */
async function find(): Promise<void> {
  try {
    const { data } = await browser.get('/v1/auth');
    issuers = data.issuers.filter(({ web }) => web).map(({ issuer }) => issuer);
    const isSignedIn = issuers.length > 0 && (await hasCookie());
    if (credential === null) use(isSignedIn ? { kind: 'cookie' } : null);
  } catch (error) {
    if (credential === null) use(null, (error as Error).message);
  }
}

const findOnce = (): void => void (finding ??= find().finally(() => (finding = undefined)));

async function signOut(): Promise<void> {
  try {
    if (credential?.kind === 'cookie') await browser.post('/v1/auth/logout');
    use(null);
  } catch (error) {
    use(null, `This browser may still be signed in, because signing out failed: ${(error as Error).message}`);
  }
}

function take(page: MessagePort, message: ToWorker): void {
  if (message.kind === 'sign-in') return use({ kind: 'key', key: message.key });
  if (message.kind === 'sign-out') return void signOut();
  if (message.kind === 'goodbye') {
    pages.delete(page);
    if (pages.size === 0) restart();
    return;
  }
  pages.add(page);
  if (credential === null) return findOnce();
  page.postMessage(sessionMessage());
  page.postMessage({ kind: 'live', state: live } satisfies FromWorker);
  if (!stream) restart();
}

self.onconnect = event => {
  const [page] = event.ports;
  if (!page) return;
  page.onmessage = ({ data }: MessageEvent<ToWorker>) => take(page, data);
};

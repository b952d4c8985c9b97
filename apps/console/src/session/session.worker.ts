import { LiveStream } from './live-stream.js';
import type { FromWorker, LiveState, ToWorker } from './messages.js';

declare const self: {
  readonly location: Location;
  onconnect: ((event: MessageEvent) => void) | null;
};

/**
 * One for all pages of a browser: holds the API key in memory, and follows the events with one connection. A stream for each page would use
 * up the six connections that a browser opens to a server.
 */
const pages = new Set<MessagePort>();
let key: string | null = null;
let live: LiveState = 'off';
let stream: LiveStream | undefined;

function send(message: FromWorker): void {
  for (const page of pages) page.postMessage(message);
}

function restart(): void {
  stream?.stop();
  stream = undefined;
  if (key === null || pages.size === 0) return;
  stream = new LiveStream(self.location.origin, key, {
    changed: changes => send({ kind: 'changes', changes }),
    state: state => {
      if (state === live) return;
      live = state;
      send({ kind: 'live', state });
    },
    refused: () => setKey(null, true),
  });
}

function setKey(next: string | null, isRefused = false): void {
  key = next;
  send({ kind: 'session', key, isRefused });
  restart();
}

function take(page: MessagePort, message: ToWorker): void {
  if (message.kind === 'sign-in') return setKey(message.key);
  if (message.kind === 'sign-out') return setKey(null);
  if (message.kind === 'goodbye') {
    pages.delete(page);
    if (pages.size === 0) restart();
    return;
  }
  pages.add(page);
  page.postMessage({ kind: 'session', key } satisfies FromWorker);
  page.postMessage({ kind: 'live', state: live } satisfies FromWorker);
  if (!stream) restart();
}

self.onconnect = event => {
  const [page] = event.ports;
  if (!page) return;
  page.onmessage = ({ data }: MessageEvent<ToWorker>) => take(page, data);
};

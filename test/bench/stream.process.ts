import { request, type IncomingMessage } from 'node:http';

/** The work of a subscriber process: it opens event streams, and compares later what they delivered with what was expected. */
export interface Subscriptions {
  readonly url: string;
  readonly key: string;
  /** One stream is opened for each path. */
  readonly paths: readonly string[];
  /** A stream of this path is opened besides, and is not read until `Expected` arrives. */
  readonly unreadPath?: string;
}

/** The ids of the events that a stream of each path must deliver. */
export type Expected = Readonly<Record<string, readonly number[]>>;

export interface Delivered {
  readonly streams: number;
  /** Streams with a missing, repeated or misplaced event. */
  readonly wrong: number;
  readonly frames: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly longestMs: number;
  /** Whether the gateway ended the unread stream. */
  readonly unreadEnded: boolean;
}

const DEADLINE_MS = 120_000;
const LOOK_MS = 50;
const streams: Stream[] = [];
const delays: number[] = [];
/** When each event happened, so that its time is parsed once. */
const happened = new Map<number, number>();

class Stream {
  ids: number[] = [];
  ended = false;
  private rest = '';

  constructor(
    readonly path: string,
    private readonly isMeasured: boolean,
  ) {}

  open({ url, key }: Subscriptions, lastId?: number): Promise<IncomingMessage> {
    const headers = {
      authorization: `Bearer ${key}`,
      ...(lastId !== undefined && { 'last-event-id': String(lastId) }),
    };
    this.ended = false;
    return new Promise((resolve, reject) => {
      const outgoing = request(url + this.path, { agent: false, headers }, answer => {
        if (answer.statusCode !== 200) return reject(new Error(`GET ${this.path} answered ${answer.statusCode}`));
        answer.setEncoding('latin1');
        answer.on('end', () => (this.ended = true));
        resolve(answer);
      });
      outgoing.on('error', reject);
      outgoing.end();
    });
  }

  read(answer: IncomingMessage): void {
    answer.on('data', (text: string) => this.take(text));
  }

  private take(text: string): void {
    const frames = (this.rest + text).split('\n\n');
    this.rest = frames.pop() ?? '';
    const now = Date.now();
    for (const frame of frames) {
      if (!frame.startsWith('id: ')) continue;
      const id = Number(frame.slice(4, frame.indexOf('\n')));
      this.ids.push(id);
      if (this.isMeasured) delays.push(now - timeOf(id, frame));
    }
  }
}

function timeOf(id: number, frame: string): number {
  const known = happened.get(id);
  if (known !== undefined) return known;
  const from = frame.indexOf('"time":"') + 8;
  const time = Date.parse(frame.slice(from, frame.indexOf('"', from)));
  happened.set(id, time);
  return time;
}

async function becomes(what: string, holds: () => boolean): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`not in time: ${what}`);
    await new Promise(resolve => setTimeout(resolve, LOOK_MS));
  }
}

const isComplete = ({ ids }: Stream, wanted: readonly number[] = []): boolean =>
  (ids.at(-1) ?? -1) >= (wanted.at(-1) ?? -1);

let unread: { readonly stream: Stream; readonly answer: IncomingMessage; readonly of: Subscriptions } | undefined;

async function subscribe(of: Subscriptions): Promise<void> {
  for (const path of of.paths) {
    const stream = new Stream(path, true);
    streams.push(stream);
    stream.read(await stream.open(of));
  }
  if (of.unreadPath === undefined) return;
  const stream = new Stream(of.unreadPath, false);
  unread = { stream, answer: await stream.open(of), of };
}

/** Reads what the gateway sent before it ended the unread stream, and resumes after that. Returns whether it was ended. */
async function resumeUnread(expected: Expected): Promise<boolean> {
  if (!unread) return false;
  const { stream, answer, of } = unread;
  const wanted = expected[stream.path];
  stream.read(answer);
  await becomes('the unread stream ends or catches up', () => stream.ended || isComplete(stream, wanted));
  const wasEnded = stream.ended;
  if (!isComplete(stream, wanted)) stream.read(await stream.open(of, stream.ids.at(-1)));
  streams.push(stream);
  return wasEnded;
}

async function compare(expected: Expected): Promise<Delivered> {
  const measured = delays.length;
  const unreadEnded = await resumeUnread(expected);
  await becomes('every stream delivers the last event', () => streams.every(s => isComplete(s, expected[s.path])));
  const wrong = streams.filter(({ ids, path }) => ids.join() !== (expected[path] ?? []).join()).length;
  const sorted = Float64Array.from(delays.length > 0 ? delays : [0]).sort();
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return {
    streams: streams.length,
    wrong,
    frames: measured,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    longestMs: at(1),
    unreadEnded,
  };
}

const fail = (error: unknown): never => {
  console.error(error);
  process.exit(1);
};

process.on('message', (message: { readonly open: Subscriptions } | { readonly expected: Expected }) => {
  if ('open' in message) subscribe(message.open).then(() => process.send?.('open'), fail);
  else compare(message.expected).then(delivered => process.send?.(delivered), fail);
});

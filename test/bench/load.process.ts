import { Agent, request } from 'node:http';

/**
 * The work of a client process: it sends one request after another on each connection for a time, and reports the
 * results.
 */
export interface Load {
  readonly url: string;
  readonly key: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** The body of a POST; `{name}` is replaced by a new name in each request. */
  readonly body?: string;
  readonly connections: number;
  readonly seconds: number;
  /** The work continues until so many requests were answered, for a minute at most; default: none. */
  readonly atLeast?: number;
  readonly expect: number;
}

export interface LoadResult {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly bad: number;
  /** The size of the last answer in bytes. */
  readonly bytes: number;
}

const LONGEST_MS = 60_000;

let serial = 0;

function once(load: Load, agent: Agent): Promise<{ status: number; bytes: number }> {
  const body = load.body?.replace('{name}', `b${process.pid}-${(serial += 1)}`);
  const headers = {
    authorization: `Bearer ${load.key}`,
    ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(load.url + load.path, { method: load.method, agent, headers }, answer => {
      let bytes = 0;
      answer.on('data', (chunk: Buffer) => (bytes += chunk.length));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, bytes }));
      answer.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

async function apply(load: Load): Promise<LoadResult> {
  const { atLeast = 0 } = load;
  const times: number[] = [];
  let bad = 0;
  let bytes = 0;
  const started = performance.now();
  const end = started + load.seconds * 1000;
  const isOver = (now: number): boolean => now >= end && (times.length >= atLeast || now >= started + LONGEST_MS);
  await Promise.all(
    Array.from({ length: load.connections }, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      while (!isOver(performance.now())) {
        const sent = performance.now();
        const answer = await once(load, agent);
        times.push(performance.now() - sent);
        if (answer.status !== load.expect) bad += 1;
        bytes = answer.bytes;
      }
      agent.destroy();
    }),
  );
  const perSecond = times.length / ((performance.now() - started) / 1000);
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { perSecond, p50Ms: at(0.5), p99Ms: at(0.99), bad, bytes };
}

process.on('message', (load: Load) => {
  apply(load).then(
    result => process.send?.(result),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});

import { Agent, request } from 'node:http';

/**
 * The work of a client process: it writes at a steady rate and reads lists after each accepted write until they show
 * it.
 */
export interface Writes {
  readonly url: string;
  readonly key: string;
  readonly clusters: readonly { readonly id: string; readonly name: string }[];
  readonly perSecond: number;
  readonly seconds: number;
}

export interface Seen {
  /** The milliseconds from the answer to a write until the answer of a list that shows it, sorted. */
  readonly visible: readonly number[];
  /** The latencies of the writes in milliseconds, sorted. */
  readonly accepted: readonly number[];
  /** The latencies of the list reads in milliseconds, sorted. */
  readonly reads: readonly number[];
  readonly perSecond: number;
}

interface Item {
  readonly name: string;
  readonly description?: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: 256 });

function send(writes: Writes, method: string, path: string, body?: object): Promise<{ status: number; text: string }> {
  const text = body && JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${writes.key}`,
    ...(text && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(writes.url + path, { method, agent, headers }, answer => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString() }));
      answer.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(text);
  });
}

class Client {
  readonly visible: number[] = [];
  readonly accepted: number[] = [];
  readonly reads: number[] = [];

  constructor(private readonly writes: Writes) {}

  /** Creates a profile with every second write and changes a cluster with the others. */
  async write(serial: number): Promise<void> {
    const { clusters } = this.writes;
    const cluster = clusters[serial % clusters.length];
    if (serial % 2 === 0 || !cluster) {
      const name = `p${process.pid}-${serial}`;
      await this.accept('POST', '/v1/container-profiles', { name, image: 'bench:1', hostCluster: clusters[0]?.id });
      return this.see(`/v1/container-profiles?name=${name}`, ({ length }) => length === 1);
    }
    const description = `write ${serial}`;
    await this.accept('PATCH', `/v1/clusters/${cluster.id}`, { description });
    await this.see(`/v1/clusters?name=${cluster.name}`, ([item]) => item?.description === description);
  }

  private async accept(method: string, path: string, body: object): Promise<void> {
    const began = performance.now();
    const { status, text } = await send(this.writes, method, path, body);
    if (status < 200 || status > 299) throw new Error(`${method} ${path} answered ${status}: ${text}`);
    this.accepted.push(performance.now() - began);
  }

  private async see(path: string, shows: (items: readonly Item[]) => boolean): Promise<void> {
    const began = performance.now();
    for (;;) {
      const asked = performance.now();
      const { items }: { items: readonly Item[] } = JSON.parse((await send(this.writes, 'GET', path)).text);
      this.reads.push(performance.now() - asked);
      if (shows(items)) break;
    }
    this.visible.push(performance.now() - began);
  }
}

async function run(writes: Writes): Promise<Seen> {
  const client = new Client(writes);
  const began = performance.now();
  const total = writes.perSecond * writes.seconds;
  const pending: Promise<void>[] = [];
  for (let serial = 0; serial < total; serial += 1) {
    const due = began + (serial * 1000) / writes.perSecond;
    const early = due - performance.now();
    if (early > 0) await new Promise(resolve => setTimeout(resolve, early));
    pending.push(client.write(serial));
  }
  await Promise.all(pending);
  const perSecond = total / ((performance.now() - began) / 1000);
  const sorted = (times: number[]): number[] => times.sort((a, b) => a - b);
  return {
    visible: sorted(client.visible),
    accepted: sorted(client.accepted),
    reads: sorted(client.reads),
    perSecond,
  };
}

process.on('message', (writes: Writes) => {
  run(writes).then(
    seen => process.send?.(seen),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});

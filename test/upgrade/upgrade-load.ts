import { randomUUID } from 'node:crypto';
import { operationIdOf, StaveClient, type StaveAnswer } from '@stave/testing';
import { LoadReport, type Acknowledged, type Failure } from './load-report.js';

const ATTEMPTS = 20;
const FLAVOR = { cpus: 1, memoryMb: 512 };

interface Created {
  readonly id: string;
}

/**
 * Creates clusters, reads, and repeats creations that were acknowledged, through all gateways, until it is stopped. An attempt that is not
 * answered is repeated as `Retry-After` says, after a second else, with the same idempotency key at the next gateway.
 */
export class UpgradeLoad {
  readonly report = new LoadReport();
  private readonly clients: readonly StaveClient[];
  private running: Promise<unknown> | undefined;
  private turn = 0;
  private stopped = false;
  /** Why a loop has ended; undefined while all run. */
  failure: unknown;

  constructor(urls: readonly string[], key: string) {
    this.clients = urls.map(url => new StaveClient(url, key));
  }

  start(writers: number): void {
    const loops = Array.from({ length: writers }, (_, at) => this.write(`w${at}`));
    this.running = Promise.all([...loops, this.read(), this.repeat()]);
    this.running.catch((error: unknown) => (this.failure = error));
  }

  /** Resolves when the requests in progress have ended. Rejects when a loop failed. */
  async stop(): Promise<LoadReport> {
    this.stopped = true;
    await this.running;
    return this.report;
  }

  private async write(writer: string): Promise<void> {
    for (let round = 0; !this.stopped; round++) {
      const [key, name] = [randomUUID(), `${writer}-${round}`];
      const answer = await this.answered<Created>('POST', '/v1/clusters', key, clusterOf(name));
      const operation = operationIdOf(answer) ?? '';
      if (answer.status === 202) this.report.acknowledged.push({ key, name, operation, id: answer.body.id });
      else this.report.wrong.push(`${name} was answered ${answer.status} ${answer.text}`);
    }
  }

  private async read(): Promise<void> {
    while (!this.stopped) {
      const answer = await this.answered('GET', '/v1/clusters?limit=5&sort=-createdAt', undefined, undefined);
      if (answer.status !== 200) this.report.wrong.push(`a list was answered ${answer.status} ${answer.text}`);
    }
  }

  /** An idempotent repeat of what was acknowledged gets the same answer. */
  private async repeat(): Promise<void> {
    for (let at = 0; !this.stopped; at++) {
      const chosen = this.report.acknowledged[Math.floor((at * 7) % Math.max(1, this.report.acknowledged.length))];
      if (chosen === undefined) await this.answered('GET', '/v1/whoami', undefined, undefined);
      else await this.again(chosen);
    }
  }

  private async again({ key, id, name }: Acknowledged): Promise<void> {
    this.report.repeats++;
    const answer = await this.answered<Created>('POST', '/v1/clusters', key, clusterOf(name), true);
    if (answer.status !== 202 || answer.body.id !== id)
      this.report.wrong.push(`a repeat of ${name} was answered ${answer.status} ${answer.text}`);
  }

  /** `wasAnswered`: the same request was acknowledged before. */
  private async answered<T>(
    method: string,
    path: string,
    idempotencyKey: string | undefined,
    body: unknown,
    wasAnswered = false,
  ) {
    const first = this.turn++;
    const options = { ...(idempotencyKey && { idempotencyKey }), ...(body !== undefined && { body }) };
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const client = this.clients[(first + attempt) % this.clients.length];
      const started = performance.now();
      const { answer, failure } = await this.attempt<T>(() => client?.send<T>(method, path, options));
      if (failure === undefined && answer !== undefined) {
        this.report.slowestMs = Math.max(this.report.slowestMs, performance.now() - started);
        return answer;
      }
      if (failure !== undefined)
        this.report.add({ method, path, failure, isRepeat: wasAnswered || attempt > 1, text: answer?.text ?? '' });
      const seconds = Number(answer?.headers.get('retry-after') ?? 1);
      await new Promise(resolve => setTimeout(resolve, seconds * 1_000));
    }
    throw new Error(`${method} ${path} was not answered in ${ATTEMPTS} attempts`);
  }

  private async attempt<T>(
    send: () => Promise<StaveAnswer<T>> | undefined,
  ): Promise<{ readonly answer?: StaveAnswer<T> | undefined; readonly failure?: Failure }> {
    this.report.requests++;
    try {
      const answer = await send();
      return answer !== undefined && answer.status >= 500 ? { answer, failure: `${answer.status}` } : { answer };
    } catch (error) {
      const { name, cause } = Object(error) as Partial<Record<'name' | 'cause', unknown>>;
      // fetch throws this when there is no connection any more; its class is not that of the test's realm
      if (name !== 'TypeError') throw error;
      return { failure: Object(cause)['code'] === 'ECONNREFUSED' ? 'refused' : 'cut' };
    }
  }
}

const clusterOf = (name: string): object => ({
  name,
  driver: 'fake',
  options: { latencyMs: 20 },
  nodeGroups: [{ name: 'w', role: 'worker', count: 2, flavor: FLAVOR }],
});

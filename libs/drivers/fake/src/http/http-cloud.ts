import { Agent, request as httpRequest } from 'node:http';
import { DriverError, type FailureClass } from '@stave/driver-sdk';
import type { CloudReply, CloudRequest, FakeCloud } from '../cloud/fake-cloud.port.js';

/** What the server answers when a call fails. */
export interface ErrorBody {
  readonly failure: FailureClass;
  readonly message: string;
}

/** The fake cloud in a process of its own. What goes wrong on the way is `transient`: the call may have taken effect. */
export class HttpCloud implements FakeCloud {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 256 });

  private constructor(private readonly url: URL) {}

  /** Throws DriverError `transient` when nothing answers at the address. */
  static async connect(url: string): Promise<HttpCloud> {
    const cloud = new HttpCloud(new URL(url));
    await cloud.exchange('GET', '/health');
    return cloud;
  }

  async call(request: CloudRequest, signal?: AbortSignal): Promise<CloudReply> {
    const { status, body } = await this.exchange('POST', '/call', JSON.stringify(request), signal);
    if (status === 200) return JSON.parse(body);
    const { failure, message }: ErrorBody = JSON.parse(body);
    throw new DriverError(failure, message);
  }

  async close(): Promise<void> {
    this.agent.destroy();
  }

  private exchange(
    method: 'GET' | 'POST',
    path: string,
    body?: string,
    signal?: AbortSignal,
  ): Promise<{ status: number; body: string }> {
    return new Promise((resolve, reject) => {
      const lost = (cause: unknown) => reject(new DriverError('transient', 'no answer from the fake cloud', { cause }));
      const headers =
        body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      const url = new URL(path, this.url);
      const outgoing = httpRequest(url, { method, agent: this.agent, headers, ...(signal && { signal }) }, incoming => {
        let text = '';
        incoming.setEncoding('utf8');
        incoming.on('data', (chunk: string) => (text += chunk));
        incoming.on('error', lost);
        incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, body: text }));
      });
      outgoing.on('error', lost);
      outgoing.end(body);
    });
  }
}

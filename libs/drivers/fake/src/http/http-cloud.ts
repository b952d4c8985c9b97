import { Agent, request as httpRequest } from 'node:http';
import { DriverError, type FailureClass } from '@stave/driver-sdk';
import type { CloudReply, CloudRequest, FakeCloud } from '../cloud/fake-cloud.port.js';

/** The body of a failed call. */
export interface ErrorBody {
  readonly failure: FailureClass;
  readonly message: string;
}

/** The client of a fake cloud in another process. An error of the connection is `transient`: the call may have taken effect. */
export class HttpCloud implements FakeCloud {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 256 });

  private constructor(private readonly url: URL) {}

  /** Connects to the cloud. Throws DriverError `transient` when it does not answer. */
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
      const fail = (cause: unknown) =>
        reject(new DriverError('transient', `the fake cloud at ${this.url.origin} does not answer`, { cause }));
      const headers =
        body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      const url = new URL(path, this.url);
      const outgoing = httpRequest(url, { method, agent: this.agent, headers, ...(signal && { signal }) }, incoming => {
        let text = '';
        incoming.setEncoding('utf8');
        incoming.on('data', (chunk: string) => (text += chunk));
        incoming.on('error', fail);
        incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, body: text }));
      });
      outgoing.on('error', fail);
      outgoing.end(body);
    });
  }
}

import { Agent, request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { DriverError, type FailureClass } from '@stave/driver-sdk';
import type { CloudReply, CloudRequest, FakeCloud } from '../cloud/fake-cloud.port.js';

export interface ErrorBody {
  readonly failure: FailureClass;
  readonly message: string;
  readonly code?: string | undefined;
  readonly plugin?: string | undefined;
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
    const { failure, message, code, plugin }: ErrorBody = JSON.parse(body);
    throw new DriverError(failure, message, {
      ...(code !== undefined && { code }),
      ...(plugin !== undefined && { plugin }),
    });
  }

  async identity(): Promise<string> {
    return (await this.exchange('GET', '/identity')).body;
  }

  async close(): Promise<void> {
    this.agent.destroy();
  }

  private exchange(method: string, path: string, body = '', signal?: AbortSignal) {
    return new Promise<{ readonly status: number; readonly body: string }>((resolve, reject) => {
      const fail = (cause: unknown) =>
        reject(new DriverError('transient', `the fake cloud at ${this.url.origin} does not answer`, { cause }));
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      const outgoing = httpRequest(new URL(path, this.url), { method, agent: this.agent, headers, signal }, incoming =>
        text(incoming).then(answer => resolve({ status: incoming.statusCode ?? 0, body: answer }), fail),
      );
      outgoing.on('error', fail);
      outgoing.end(body);
    });
  }
}

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The host of hooks, which outlives the product. It answers 204, unless the test answers what it is asked. */
export class HookHost<Asked = Readonly<Record<string, unknown>>> {
  readonly asked: Asked[] = [];
  answer: (response: ServerResponse) => void = response => response.writeHead(204).end();
  private readonly server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      this.asked.push(JSON.parse(Buffer.concat(parts).toString()) as Asked);
      this.answer(response);
    });
  });

  start(): Promise<void> {
    return new Promise(resolve => this.server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/release`;
  }

  end(): Promise<void> {
    const closed = new Promise<void>(resolve => this.server.close(() => resolve()));
    this.server.closeAllConnections();
    return closed;
  }
}

import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { DriverError } from '@stave/driver-sdk';
import type { CloudRequest } from '../cloud/fake-cloud.port.js';
import { InProcessCloud } from '../cloud/in-process-cloud.js';
import { journalPath } from '../cloud/journal-file.js';
import type { ErrorBody } from './http-cloud.js';

export interface FakeCloudServer {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

interface FakeCloudOptions {
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
}

const largestBody = 1024 * 1024;

/**
 * Serves the fake cloud of a data directory: `POST /call`, `GET /journal` (JSON lines), `GET /identity`, `GET /health`. Port 0 selects a free port. There is
 * no access control: use it for tests and trials only.
 */
export async function serveFakeCloud({ host, port: wanted, dataDir }: FakeCloudOptions): Promise<FakeCloudServer> {
  const cloud = await InProcessCloud.open(dataDir);
  const server = createServer((incoming, outgoing) => {
    route(cloud, dataDir, incoming, outgoing).catch((error: unknown) => sendError(outgoing, error));
  });
  server.keepAliveTimeout = 60_000;
  await once(server.listen(wanted, host), 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : wanted;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    close: async () => {
      const closed = new Promise<void>(resolve => server.close(() => resolve()));
      await cloud.close();
      server.closeIdleConnections();
      setImmediate(() => server.closeAllConnections());
      await closed;
    },
  };
}

async function route(cloud: InProcessCloud, dataDir: string, incoming: IncomingMessage, outgoing: ServerResponse) {
  switch (`${incoming.method} ${incoming.url}`) {
    case 'POST /call': {
      const request: CloudRequest = JSON.parse(await bodyOf(incoming));
      return send(outgoing, 200, await cloud.call(request));
    }
    case 'GET /journal':
      outgoing.writeHead(200, { 'content-type': 'application/x-ndjson' });
      return void createReadStream(journalPath(dataDir)).pipe(outgoing);
    case 'GET /identity':
      return void outgoing.writeHead(200, { 'content-type': 'text/plain' }).end(await cloud.identity());
    case 'GET /health':
      return send(outgoing, 200, { status: 'ok' });
    default:
      return send(outgoing, 404, { failure: 'unsupported', message: 'this route does not exist' } satisfies ErrorBody);
  }
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    size += chunk.length;
    if (size > largestBody) throw new DriverError('permanent', `the request exceeds ${largestBody} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function sendError(outgoing: ServerResponse, error: unknown): void {
  const failure = error instanceof DriverError ? error.failure : 'permanent';
  const message = error instanceof Error ? error.message : String(error);
  const { code, plugin }: Partial<DriverError> = error instanceof DriverError ? error : {};
  if (outgoing.headersSent) outgoing.destroy();
  else send(outgoing, 409, { failure, message, code, plugin } satisfies ErrorBody);
}

function send(outgoing: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  outgoing
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    .end(text);
}

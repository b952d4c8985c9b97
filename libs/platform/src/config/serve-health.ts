import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { processMetrics, type Exposition } from '../observability/process-metrics.js';
import type { ServedCertificate } from '../transport/served-certificate.js';
import { listenAsSet } from './listen-as-set.js';

export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

const names = { host: 'HEALTH_HOST', port: 'HEALTH_PORT' };

/** Dependencies of a process that is ready whether or not they answer. */
export type OptionalChecks = Readonly<Record<string, 'ok' | 'down'>>;

/** A process that runs and must not be used for everything. */
export class NotReadyError extends Error {
  override readonly name = 'NotReadyError';

  /** `checks`: by what was checked, `ok` or what is wrong and what to do. */
  constructor(readonly checks: Readonly<Record<string, string>>) {
    super('not ready');
  }
}

export interface HealthOptions {
  readonly metrics?: Exposition;
  /** Undefined: without TLS. Closed by the caller. */
  readonly certificate?: ServedCertificate | undefined;
}

/**
 * Serves `GET /livez`, which answers 200, `GET /readyz`, which answers 200 with what `ready` resolves to, else 503 with the checks of a
 * NotReadyError, and `GET /metrics`. Throws CannotListenError.
 */
export async function serveHealth(
  { host, port }: { readonly host: string; readonly port: number },
  ready: () => Promise<OptionalChecks>,
  { metrics = processMetrics(), certificate }: HealthOptions = {},
): Promise<HealthServer> {
  const server = serverOf(certificate, (request, response) => {
    const answer = (status: number, text: string, checks?: NotReadyError['checks']): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ status: text, checks }));
    };
    if (request.url === '/livez') return answer(200, 'ok');
    if (request.url === '/metrics') return void expose(metrics, response);
    if (request.url !== '/readyz') return answer(404, 'not found');
    ready().then(
      checks => answer(200, 'ready', checks),
      (error: unknown) => answer(503, 'not ready', error instanceof NotReadyError ? error.checks : undefined),
    );
  });
  await listenAsSet({ host, port, names }, () => once(server.listen(port, host), 'listening'));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: async () => {
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, 'close');
    },
  };
}

function serverOf(certificate: ServedCertificate | undefined, listener: RequestListener): Server {
  if (!certificate) return createServer(listener);
  const server = createSecureServer(certificate.serverOptions, listener);
  certificate.serve(server);
  return server;
}

async function expose(metrics: Exposition, response: ServerResponse): Promise<void> {
  try {
    const text = await metrics.text();
    response.writeHead(200, { 'content-type': metrics.contentType }).end(text);
  } catch {
    response.writeHead(500).end();
  }
}

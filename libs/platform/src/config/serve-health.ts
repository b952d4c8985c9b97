import { once } from 'node:events';
import { createServer } from 'node:http';

export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves `GET /livez`, which answers 200, and `GET /readyz`, which answers 200 while `ready` resolves, else 503. */
export async function serveHealth(
  { host, port }: { readonly host: string; readonly port: number },
  ready: () => Promise<void>,
): Promise<HealthServer> {
  const server = createServer((request, response) => {
    const answer = (status: number, text: string): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ status: text }));
    };
    if (request.url === '/livez') return answer(200, 'ok');
    if (request.url !== '/readyz') return answer(404, 'not found');
    ready().then(
      () => answer(200, 'ready'),
      () => answer(503, 'not ready'),
    );
  });
  server.listen(port, host);
  await once(server, 'listening');
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

import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { CloudSettings } from '../cloud/cloud-settings.js';

/** A request that the cloud got. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly token: string | undefined;
  readonly body: string;
}

/** What the service answers: a status, and JSON or text. */
export interface Scripted {
  readonly status: number;
  readonly body?: unknown;
}

/** A cloud with Keystone, whose tokens are `token-1`, `token-2` and so on, and with one service that answers what a test says. */
export async function startCloud(answer: (seen: Seen) => Scripted | undefined, lifetimeSeconds = 3_600) {
  const seen: Seen[] = [];
  let logins = 0;
  const connections = new WeakSet<object>();
  const server = createServer((incoming, outgoing) => {
    // as servers do that end a connection after its first answer without a notice
    if (connections.has(incoming.socket)) return void incoming.socket.destroy();
    connections.add(incoming.socket);
    void bodyOf(incoming).then(body => {
      const request = { method: incoming.method ?? '', path: incoming.url ?? '', token: tokenOf(incoming), body };
      if (request.path === '/v3/auth/tokens') {
        logins += 1;
        const refused = body.includes('"wrong"');
        const headers = { 'x-subject-token': `token-${logins}` };
        outgoing.writeHead(refused ? 401 : 201, headers).end(JSON.stringify(refused ? {} : token()));
        return;
      }
      seen.push(request);
      const scripted = answer(request);
      // no answer: the client's own deadline ends the request
      if (!scripted) return;
      const text = typeof scripted.body === 'string' ? scripted.body : JSON.stringify(scripted.body);
      outgoing.writeHead(scripted.status).end(text);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const token = () => {
    const endpoint = (region: string) => ({ interface: 'public', region, url: `${url}/${region}/` });
    const catalog = [{ type: 'orchestration', endpoints: [endpoint('one'), endpoint('two')] }];
    const whose = { user: { id: 'u1' }, project: { id: 'p1' } };
    return { token: { ...whose, expires_at: new Date(Date.now() + lifetimeSeconds * 1_000).toISOString(), catalog } };
  };
  const settings: CloudSettings = {
    authUrl: `${url}/v3`,
    user: { name: 'member', domain: { name: 'Default' } },
    password: 'member-password',
    project: { id: 'p1' },
    interface: 'public',
  };
  const close = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
  };
  return { settings, seen, logins: () => logins, close };
}

const tokenOf = ({ headers }: IncomingMessage): string | undefined => {
  const token = headers['x-auth-token'];
  return typeof token === 'string' ? token : undefined;
};

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of incoming) text += String(piece);
  return text;
}

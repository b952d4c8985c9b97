import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Answers as Keystone does about tokens whose name is the role that they have; everything else is unknown. The real one is in test/openstack. */
export class ScriptedKeystone {
  private constructor(private readonly server: Server) {}

  static async start(roles: readonly string[]): Promise<ScriptedKeystone> {
    const server = createServer(({ headers }, response) => {
      const role = String(headers['x-subject-token']);
      response.writeHead(roles.includes(role) ? 200 : 404, { 'content-type': 'application/json' });
      const expiresAt = new Date(Date.now() + 600_000).toISOString();
      const user = { id: `${role}-of-keystone`, name: role };
      const token = { user, project: { id: 'p' }, roles: [{ name: role }], expires_at: expiresAt };
      response.end(JSON.stringify({ token }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ScriptedKeystone(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v3`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

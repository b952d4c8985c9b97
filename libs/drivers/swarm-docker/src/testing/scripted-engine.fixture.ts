import { createServer, type RequestListener, type Server } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Returns the body or the status of the response to a request such as `GET /path` (without its query); undefined results in 404. */
export type Script = (request: string) => object | number | undefined;

/** HTTP servers on unix sockets that simulate Docker Engines. */
export class ScriptedEngines {
  private readonly servers: Server[] = [];

  private constructor(private readonly directory: string) {}

  static async open(): Promise<ScriptedEngines> {
    return new ScriptedEngines(await mkdtemp(join(tmpdir(), 'engines-')));
  }

  /** The path of the socket on which the engine of that name is, or will be, served. */
  socketOf(name: string): string {
    return join(this.directory, name);
  }

  /** Serves a listener and returns the path of its socket. */
  async serve(name: string, listener: RequestListener): Promise<string> {
    const server = createServer(listener);
    this.servers.push(server);
    await new Promise<void>(resolve => server.listen(this.socketOf(name), resolve));
    return this.socketOf(name);
  }

  /** Serves a script and returns the requests that it receives. */
  async play(name: string, script: Script): Promise<readonly string[]> {
    const requests: string[] = [];
    await this.serve(name, ({ method, url = '' }, response) => {
      const request = `${method} ${url.split('?')[0]}`;
      requests.push(request);
      const answer = script(request) ?? 404;
      const [status, body] = typeof answer === 'number' ? [answer, {}] : [200, answer];
      response.writeHead(status).end(JSON.stringify(body));
    });
    return requests;
  }

  async close(): Promise<void> {
    for (const server of this.servers) {
      server.closeAllConnections();
      server.close();
    }
    await rm(this.directory, { recursive: true });
  }
}

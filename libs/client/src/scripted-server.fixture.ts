import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Reply = (response: ServerResponse, request: IncomingMessage) => void;

/** A server that answers its requests with the replies of a script, one after the other, and then repeats the last one. */
export class ScriptedServer {
  readonly requests: SeenRequest[] = [];
  private next = 0;

  private constructor(
    private readonly server: ReturnType<typeof createServer>,
    readonly url: string,
  ) {}

  static async start(...replies: Reply[]): Promise<ScriptedServer> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const scripted = new ScriptedServer(server, `http://127.0.0.1:${port}`);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      void text(request).then(body => {
        const { method = '', url = '', headers } = request;
        scripted.requests.push({ method, url, headers, body });
        const reply = replies[Math.min(scripted.next++, replies.length - 1)];
        reply?.(response, request);
      });
    });
    return scripted;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

export const json =
  (body: unknown, headers: Readonly<Record<string, string>> = {}, status = 200): Reply =>
  response =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

export const problem =
  (status: number, code: string, headers: Readonly<Record<string, string>> = {}, more: object = {}): Reply =>
  response => {
    const body = { type: `/problems/${code}`, title: 'T', status, detail: 'D', instance: '/', code, ...more };
    response
      .writeHead(status, { 'content-type': 'application/problem+json', ...headers })
      .end(JSON.stringify({ ...body, correlationId: 'c-1' }));
  };

/** Closes the connection without an answer. */
export const cut: Reply = response => void response.destroy();

/** Closes the connection in the middle of the body. */
export const cutInBody: Reply = response => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
  response.write('{"items":', () => response.destroy());
};

/** Never answers. */
export const silence: Reply = () => undefined;

/** Sends the pieces of an event stream, each in a packet of its own as far as the system allows, and then ends as `end` does. */
export const stream =
  (pieces: readonly (string | Buffer)[], end: 'open' | 'end' | 'cut'): Reply =>
  response => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const write = (index: number): void => {
      const piece = pieces[index];
      if (piece !== undefined) response.write(piece, () => setImmediate(() => write(index + 1)));
      else if (end === 'end') response.end();
      else if (end === 'cut') response.destroy();
    };
    write(0);
  };

import { createServer, type RequestListener, type Server } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EngineClient, withLabels } from './engine-client.js';
import { undefinedOn } from './engine-error.js';

describe('EngineClient', () => {
  let directory: string;
  let server: Server | undefined;
  const caller = { signal: new AbortController().signal, checkpoint: () => undefined };

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'engine-'));
  });
  afterEach(async () => {
    server?.closeAllConnections();
    server?.close();
    server = undefined;
    await rm(directory, { recursive: true });
  });

  async function engine(listener: RequestListener): Promise<EngineClient> {
    const path = join(directory, 'e.sock');
    server = createServer(listener);
    await new Promise<void>(resolve => server?.listen(path, resolve));
    return new EngineClient(path);
  }
  const answering = (status: number, body: object) =>
    engine((_request, response) => response.writeHead(status).end(JSON.stringify(body)));

  it.each([
    [400, 'bad parameter', 'permanent'],
    [403, 'endpoint is in use', 'conflict'],
    [403, 'Address already in use', 'capacity'],
    [500, 'Bind for 0.0.0.0:80 failed: port is already allocated', 'capacity'],
    [404, 'no such container', 'notFound'],
    [409, 'name is in use', 'conflict'],
    [500, 'rpc error', 'transient'],
    [503, 'not a manager', 'transient'],
    [500, 'write /var: no space left on device', 'capacity'],
    [400, 'Range of CPUs is from 0.01 to 2.00', 'capacity'],
  ])('classifies a response with status %i and message "%s" as %s', async (status, message, failure) => {
    const client = await answering(status, { message });
    const error = { name: 'EngineError', status, failure, message: expect.stringContaining(message) };
    await expect(client.read(caller, '/x')).rejects.toMatchObject(error);
  });

  it('treats only the named statuses as success', async () => {
    const client = await answering(404, { message: 'gone' });
    expect(await undefinedOn([404], client.change(caller, 'DELETE', '/x'))).toBeUndefined();
    await expect(undefinedOn([409], client.change(caller, 'DELETE', '/x'))).rejects.toMatchObject({ status: 404 });
  });

  it('sends query parameters and a JSON body', async () => {
    const seen: string[] = [];
    const client = await engine((request, response) => {
      request.on('data', (chunk: Buffer) => seen.push(`${request.method} ${request.url} ${chunk}`));
      request.on('end', () => response.end('{"Id":"1"}'));
    });
    const query = { name: 'a b', left: undefined, ...withLabels({ k: 'v', no: undefined }) };
    expect(await client.change(caller, 'POST', '/c', { query, body: { Image: 'i' } })).toEqual({ Id: '1' });
    expect(seen).toEqual(['POST /c?name=a+b&filters=%7B%22label%22%3A%5B%22k%3Dv%22%5D%7D {"Image":"i"}']);
  });

  it('passes the checkpoint before a change, and not for a read', async () => {
    let requests = 0;
    const client = await engine((_request, response) => {
      requests += 1;
      response.end('{}');
    });
    const checkpoint = () => {
      throw new Error('session over');
    };
    await client.read({ ...caller, checkpoint }, '/x');
    await expect(client.change({ ...caller, checkpoint }, 'POST', '/x')).rejects.toThrow('session over');
    expect(requests).toBe(1);
  });

  it('fails as transient when the engine does not answer, closes the connection or does not exist', async () => {
    const silent = await engine(() => undefined);
    const failed = { failure: 'transient', status: 0 };
    await expect(silent.read(caller, '/x', { timeoutMs: 30 })).rejects.toMatchObject(failed);
    const absent = new EngineClient(join(directory, 'none.sock'));
    await expect(absent.read(caller, '/x')).rejects.toMatchObject(failed);
  });

  it('stops at the signal of the call', async () => {
    const stop = new AbortController();
    const client = await engine(() => stop.abort(new Error('stop')));
    await expect(client.read({ ...caller, signal: stop.signal }, '/x')).rejects.toMatchObject({
      message: 'GET /x: stopped by the signal of the call',
    });
  });

  it('reports an incomplete response as transient', async () => {
    const client = await engine((_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"a":', () => response.destroy());
    });
    await expect(client.read(caller, '/x')).rejects.toMatchObject({ failure: 'transient' });
  });
});

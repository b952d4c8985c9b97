import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { repositoryRoot } from '@stave/testing';

/** Records a span, and ends as processes do; the SDK is an ES module, which Jest cannot load. */
const program = `
const { begin, startTracing } = require('@stave/platform');
(async () => {
  const tracing = await startTracing('test', process.argv[1], console);
  begin('work', {}).span.end();
  await tracing.close();
  process.exit(0);
})();
`;

describe('a collector of traces that takes a request and never answers', () => {
  const sockets = new Set<Socket>();
  let collector: Server;
  beforeAll(async () => {
    collector = createServer(socket => sockets.add(socket)).listen(0, '127.0.0.1');
    await once(collector, 'listening');
  });
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    collector.close();
  });

  it('does not keep a process from its end', async () => {
    const { port } = collector.address() as AddressInfo;
    const connected = once(collector, 'connection');
    // longer than this test waits
    const env = { ...process.env, OTEL_EXPORTER_OTLP_TIMEOUT: '300000', OTEL_BSP_EXPORT_TIMEOUT: '300000' };
    const args = ['-e', program, `http://127.0.0.1:${port}`];
    const child = execFile(process.execPath, args, { cwd: repositoryRoot(), env });
    const ended = once(child, 'exit');
    await connected;
    expect(await ended).toEqual([0, null]);
  }, 120_000);
});

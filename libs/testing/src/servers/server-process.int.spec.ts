import { once } from 'node:events';
import { connect } from 'node:net';
import { eventually } from '@stave/platform/testing';
import { accepts, freePort, ServerProcess } from './server-process.js';

jest.setTimeout(120_000);

/** A server that ends when a client sends anything. */
const PROGRAM = `require('node:net')
  .createServer(socket => socket.on('error', () => undefined).on('data', () => process.exit(3)))
  .listen(Number(process.argv[1]), '127.0.0.1');`;

async function end(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  socket.write('end');
  await once(socket, 'close');
}

describe('the process of a server', () => {
  const written = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  let server: ServerProcess;
  let port: number;
  const start = async (restarts: boolean): Promise<void> => {
    port = await freePort();
    server = new ServerProcess(process.execPath, ['-e', PROGRAM, '--', `${port}`], port, { restarts });
    await server.start();
    written.mockClear();
  };
  afterEach(() => server.stop());
  afterAll(() => written.mockRestore());

  it('is started again when it ends by itself, which is said', async () => {
    await start(true);
    await end(port);
    await eventually(() => written.mock.calls.length > 0, 'its end is said');
    expect(written).toHaveBeenCalledWith(expect.stringContaining('ended by itself (3)'));
    await eventually(() => accepts(port), 'it takes connections again');
  });

  it('stays away unless it should be started again, which is said as well', async () => {
    await start(false);
    await end(port);
    await eventually(() => written.mock.calls.length > 0, 'its end is said');
    expect(await accepts(port)).toBe(false);
  });

  it('stays away after it was stopped', async () => {
    await start(true);
    await server.stop();
    expect(await accepts(port)).toBe(false);
    expect(written).not.toHaveBeenCalled();
  });
});

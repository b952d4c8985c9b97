import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { eventually } from './eventually.js';
import { ThinLine } from './thin-line.js';

jest.setTimeout(120_000);

describe('ThinLine', () => {
  let echo: Server;
  let line: ThinLine;
  const near: Socket[] = [];
  beforeEach(async () => {
    echo = createServer(socket => void socket.on('error', () => undefined).pipe(socket)).listen(0, '127.0.0.1');
    await once(echo, 'listening');
    const address = echo.address();
    line = await ThinLine.open(typeof address === 'object' && address ? address.port : 0);
  });
  afterEach(async () => {
    for (const socket of near.splice(0)) socket.destroy();
    await line.close();
    echo.close();
  });

  async function connected(): Promise<Socket> {
    const { connections } = line;
    const socket = connect(line.port, '127.0.0.1').on('error', () => undefined);
    near.push(socket);
    await eventually(() => line.connections > connections);
    return socket;
  }

  it('does not count the bytes of a connection that is cut before they arrive', async () => {
    const first = await connected();
    line.lose();
    first.write(Buffer.alloc(5_000));
    await connected();
    line.cut();
    line.restore();
    const third = await connected();
    third.write('0123456789');
    await once(third, 'data');
    expect(line.carried).toBe(20);
  });

  it('cuts a connection after an answer, which arrives', async () => {
    line.cutAfter(2);
    const socket = await connected();
    const closed = once(socket, 'close');
    const heard: string[] = [];
    socket.on('data', bytes => void heard.push(String(bytes)));
    socket.write('one');
    await eventually(() => heard.length === 1);
    socket.write('two');
    await closed;
    expect(heard).toEqual(['one', 'two']);
  });
});

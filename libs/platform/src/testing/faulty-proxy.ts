import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP relay for tests whose connections can be cut or frozen. */
export class FaultyProxy {
  private readonly sockets = new Set<Socket>();
  private frozen = false;

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  static async open(target: number): Promise<FaultyProxy> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const proxy = new FaultyProxy(server, typeof address === 'object' && address ? address.port : 0);
    server.on('connection', near => proxy.relay(near, connect(target, '127.0.0.1')));
    return proxy;
  }

  /** Cuts every connection; new connections are accepted. */
  cut(): void {
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  /** Stops all traffic from now on without closing a connection. */
  freeze(): void {
    this.frozen = true;
    for (const socket of this.sockets) socket.pause();
  }

  async close(): Promise<void> {
    this.cut();
    this.server.close();
    await once(this.server, 'close');
  }

  private relay(near: Socket, far: Socket): void {
    this.follow(near, far);
    this.follow(far, near);
  }

  private follow(from: Socket, to: Socket): void {
    this.sockets.add(from);
    from.on('data', bytes => to.write(bytes));
    from.on('error', () => to.destroy());
    from.on('close', () => {
      this.sockets.delete(from);
      to.destroy();
    });
    if (this.frozen) from.pause();
  }
}

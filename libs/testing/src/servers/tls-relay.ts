import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { createServer, type Server, type TLSSocket, type TlsOptions } from 'node:tls';

/** Serves TLS in front of a server without it, and can exchange the certificate. */
export class TlsRelay {
  private readonly sockets = new Set<Socket>();
  /** The subjects of the certificates that clients have shown, in the order of their connections. */
  readonly clients: string[] = [];

  private constructor(private readonly server: Server) {}

  /** Opens a relay to a port of this machine. */
  static async open(target: number, options: TlsOptions): Promise<TlsRelay> {
    const server = createServer(options);
    const relay = new TlsRelay(server);
    server.on('secureConnection', near => relay.relay(near, connect(target, '127.0.0.1')));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return relay;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** The number of connections that are open. */
  get open(): number {
    return this.sockets.size;
  }

  /** Shows another certificate, and trusts other authorities, from now on; `cut` ends the connections of before. */
  exchange(options: TlsOptions, { cut = false } = {}): void {
    this.server.setSecureContext(options);
    if (cut) for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private relay(near: TLSSocket, far: Socket): void {
    this.clients.push(String(near.getPeerCertificate().subject?.CN));
    this.sockets.add(near);
    near.pipe(far);
    far.pipe(near);
    near.on('error', () => far.destroy());
    far.on('error', () => near.destroy());
    far.on('close', () => near.destroy());
    near.on('close', () => {
      this.sockets.delete(near);
      far.destroy();
    });
  }
}

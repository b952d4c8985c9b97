import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { ErrorCode, NatsError, type ConnectionOptions, type NatsConnection } from 'nats';
// the package has no other way to a transport of one's own; its version is exact, and tests hold these parts
import { NatsConnectionImpl, setTransportFactory } from 'nats/lib/nats-base-client/internal_mod.js';
import { NodeTransport, nodeResolveHost } from 'nats/lib/src/node_transport.js';

/** Where the client of NATS connects to. */
export interface NatsAddress {
  readonly hostname: string;
  readonly port: number;
}

/** Options of a connection that may run through something else than TCP. */
export interface NatsTransportOptions extends ConnectionOptions {
  /** Opens the stream to a server in place of a TCP socket; the stream is encrypted already, or needs not to be. */
  readonly open?: (address: NatsAddress) => Promise<Duplex>;
}

/** What a transport knows of the connection that it is made for. */
interface OwnOptions extends NatsTransportOptions {
  readonly of: { connection?: NatsConnectionImpl };
}

/** The transport of the package, whose bytes may run through a stream in place of a TCP socket. */
class StreamTransport extends NodeTransport {
  private get open(): NatsTransportOptions['open'] {
    return (this.options as Partial<OwnOptions>).open;
  }

  override async connect(
    address: NatsAddress & { readonly tlsName: string },
    options: ConnectionOptions,
  ): Promise<void> {
    await super.connect(address, options);
    // the package's own connect uses this transport, too, once it is set
    const { of } = options as Partial<OwnOptions>;
    void this.closed().then(error => {
      const protocol = of?.connection?.protocol;
      // a connection that ends before the server has taken it would be waited for until the limit of a connect
      if (protocol?.transport === this) protocol.connectError?.(error ?? new NatsError(ENDED, ErrorCode.Disconnect));
    });
  }

  override dial(address: NatsAddress): Promise<Socket> {
    return this.open ? (this.open(address) as Promise<Socket>) : super.dial(address);
  }

  override startTLS(): Promise<TLSSocket> {
    return this.open ? Promise.resolve(this.socket as TLSSocket) : super.startTLS();
  }

  override close(error?: Error): Promise<void> {
    // the package leaves a socket open on which the server did not greet in time
    if (!this.connected) this.socket?.destroy();
    return super.close(error);
  }
}

const ENDED = 'the connection ended before the server took it';

/** Connects like `connect` of the package. Each reconnect uses the same way. */
export async function connectThrough(options: NatsTransportOptions): Promise<NatsConnection> {
  setTransportFactory({ factory: () => new StreamTransport(), dnsResolveFn: nodeResolveHost });
  const of: OwnOptions['of'] = {};
  const own: OwnOptions = { ...options, of };
  return (of.connection = (await NatsConnectionImpl.connect(own)) as NatsConnectionImpl);
}

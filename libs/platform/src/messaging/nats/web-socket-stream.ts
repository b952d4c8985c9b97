import { Duplex } from 'node:stream';
import { WebSocket, type ClientOptions } from 'ws';

/** The bytes of a WebSocket as a stream. It ends when the WebSocket is closed. */
class WebSocketStream extends Duplex {
  /** What the client of NATS asks of a socket where the server wants TLS. */
  readonly encrypted = true;

  constructor(private readonly socket: WebSocket) {
    super({ allowHalfOpen: false });
    socket.on('message', (bytes: Buffer) => this.push(bytes));
    socket.on('error', error => this.destroy(error));
    socket.on('close', () => this.push(null));
  }

  override _read(): void {
    // the client of NATS reads whatever arrives, as it does from a TCP socket
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.socket.send(bytes, done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.socket.terminate();
    // the client removes its listeners before it destroys a socket: an error would end the process then
    done(this.listenerCount('error') > 0 ? error : null);
  }
}

/** Opens a WebSocket. The promise is rejected when the server does not accept one, or cannot be reached or trusted. */
export function openWebSocket(url: string, options: ClientOptions): Promise<Duplex> {
  const socket = new WebSocket(url, { ...options, perMessageDeflate: false });
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('open', () => {
      socket.removeListener('error', reject);
      resolve(new WebSocketStream(socket));
    });
  });
}

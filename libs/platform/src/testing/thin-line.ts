import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** What a line does to the bytes of each direction. */
export interface LineShape {
  /** Milliseconds that each byte is under way; default 0. */
  readonly delayMs?: number;
  /** Default: no limit. */
  readonly bytesPerSecond?: number;
}

/** A TCP relay for tests that is as slow as a line to a far site, can cut connections, and can lose contact and find it again. */
export class ThinLine {
  private readonly sockets = new Set<Socket>();
  private readonly dead = new WeakSet<Socket>();
  private contact: Promise<void> = Promise.resolve();
  private find: () => void = () => undefined;
  private answers = Infinity;
  private around: (step: () => void) => void = step => step();
  /** How many connections were made through it. */
  connections = 0;
  /** How many bytes have arrived at their ends. */
  carried = 0;

  private constructor(
    private readonly server: Server,
    readonly port: number,
    private target: number,
    private shape: LineShape,
  ) {}

  /** Opens a line to a port of this machine. */
  static async open(target: number, shape: LineShape = {}): Promise<ThinLine> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const line = new ThinLine(server, typeof address === 'object' && address ? address.port : 0, target, shape);
    server.on('connection', near => line.relay(near, connect(line.target, '127.0.0.1')));
    return line;
  }

  /** Changes what happens to the bytes that are sent from now on. */
  reshape(shape: LineShape): void {
    this.shape = shape;
  }

  /** Connections that are made from now on lead to this port of this machine. */
  redirect(target: number): void {
    this.target = target;
  }

  /** Cuts every connection; new ones are accepted. */
  cut(): void {
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  /**
   * Cuts each connection that is made from now on when its target has sent something this number of times; `Infinity` ends this. `around`
   * calls the step in which the last bytes arrive and the connection is cut.
   */
  cutAfter(answers: number, around: (step: () => void) => void = step => step()): void {
    this.answers = answers;
    this.around = around;
  }

  /** The present connections carry nothing any more, and no side is notified of it; new ones do. */
  abandon(): void {
    for (const socket of this.sockets) this.dead.add(socket);
  }

  /** From now on nothing arrives, neither bytes nor the end of a connection, and no side is notified of it. */
  lose(): void {
    this.contact = new Promise(resolve => (this.find = resolve));
  }

  /** What was sent since `lose` arrives now, as TCP repeats it. */
  restore(): void {
    this.find();
  }

  async close(): Promise<void> {
    this.restore();
    this.cut();
    this.server.close();
    await once(this.server, 'close');
  }

  private relay(near: Socket, far: Socket): void {
    this.connections++;
    this.follow(near, far);
    this.follow(far, near, this.answers);
  }

  private follow(from: Socket, to: Socket, limit = Infinity): void {
    this.sockets.add(from);
    let passed = 0;
    let free = 0;
    let under: Promise<unknown> = Promise.resolve();
    const then = (step: () => void): void => {
      under = under.then(() => this.contact).then(step);
    };
    from.on('data', bytes => {
      if (this.dead.has(from)) return;
      const { delayMs = 0, bytesPerSecond = Infinity } = this.shape;
      free = Math.max(free, performance.now()) + (bytes.length * 1_000) / bytesPerSecond;
      const at = free + delayMs;
      under = under.then(() => pause(Math.max(0, at - performance.now())));
      then(() => {
        const pass = (): void => {
          if (!to.writable) return;
          this.carried += bytes.length;
          to.write(bytes);
        };
        if (++passed < limit) return pass();
        this.around(() => {
          pass();
          for (const socket of [to, from]) socket.resetAndDestroy();
        });
      });
    });
    from.on('error', () => undefined);
    from.on('close', () => {
      this.sockets.delete(from);
      if (!this.dead.has(from)) then(() => void to.destroy());
    });
  }
}

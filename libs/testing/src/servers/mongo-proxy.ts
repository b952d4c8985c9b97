import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { BSON, type Document } from 'mongodb';

const HEADER_BYTES = 16;
const OP_MSG = 2013;
/** The first document of an OP_MSG follows the header, the flags and the kind of its section. */
const BODY_AT = HEADER_BYTES + 5;

/** A relay of MongoDB's wire protocol for tests, which can answer commands in place of the server or hold them back. */
export class MongoProxy {
  /** The names of all commands so far but those of monitoring and handshakes. */
  readonly commands: string[] = [];
  private readonly answers = new Map<string, Document>();
  private readonly held = new Map<string, (() => void)[]>();
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    /** The connection string that leads through this proxy. */
    readonly url: string,
  ) {}

  /** Opens a proxy to the server of a connection string with one host. */
  static async open(target: string): Promise<MongoProxy> {
    const { hostname, port } = new URL(target);
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const url = new URL(target);
    url.hostname = '127.0.0.1';
    url.port = String(typeof address === 'object' && address !== null ? address.port : 0);
    url.searchParams.set('directConnection', 'true');
    const proxy = new MongoProxy(server, url.href);
    server.on('connection', near => proxy.relay(near, connect(Number(port || 27_017), hostname)));
    return proxy;
  }

  /** Answers the command of this name with this reply, without asking the server, until `relayAll`. */
  answer(command: string, reply: Document): void {
    this.answers.set(command, reply);
  }

  /** Keeps commands of this name from the server until `relayAll`. */
  hold(command: string): void {
    this.held.set(command, []);
  }

  /** Whether a command of this name is held back now. */
  holds(command: string): boolean {
    return (this.held.get(command) ?? []).length > 0;
  }

  /** Sends held commands to the server, and relays all commands from now on. */
  relayAll(): void {
    this.answers.clear();
    const waiting = [...this.held.values()].flat();
    this.held.clear();
    for (const forward of waiting) forward();
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private relay(near: Socket, far: Socket): void {
    let rest: Buffer = Buffer.alloc(0);
    near.on('data', bytes => {
      rest = Buffer.concat([rest, bytes]);
      while (rest.length >= HEADER_BYTES && rest.length >= rest.readInt32LE(0)) {
        const length = rest.readInt32LE(0);
        this.take(rest.subarray(0, length), near, far);
        rest = rest.subarray(length);
      }
    });
    far.on('data', bytes => near.write(bytes));
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.sockets.delete(from);
        to.destroy();
      });
    }
  }

  private take(message: Buffer, near: Socket, far: Socket): void {
    const command = commandIn(message);
    if (command !== undefined && !HANDSHAKE.test(command)) this.commands.push(command);
    const answer = this.answers.get(command ?? '');
    const held = this.held.get(command ?? '');
    if (answer) near.write(reply(message.readInt32LE(4), answer));
    else if (held) held.push(() => far.write(message));
    else far.write(message);
  }
}

const HANDSHAKE = /^(hello|isMaster|ismaster|buildInfo|endSessions|sasl.*|ping)$/;

/** Returns the name of the command of an OP_MSG, which is the first member of its first document. */
function commandIn(message: Buffer): string | undefined {
  if (message.readInt32LE(12) !== OP_MSG || message[BODY_AT - 1] !== 0) return undefined;
  const body = message.subarray(BODY_AT, BODY_AT + message.readInt32LE(BODY_AT));
  return Object.keys(BSON.deserialize(body))[0];
}

function reply(to: number, document: Document): Buffer {
  const body = BSON.serialize(document);
  const head = Buffer.alloc(BODY_AT);
  head.writeInt32LE(BODY_AT + body.length, 0);
  head.writeInt32LE(to, 8);
  head.writeInt32LE(OP_MSG, 12);
  return Buffer.concat([head, body]);
}

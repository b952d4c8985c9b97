import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { GateRule, type GatedCall, type RuleOptions } from './gate-rule.js';

interface CallBody {
  readonly call: GatedCall['call'];
  readonly caller: { readonly operation: string; readonly taskId: string };
  readonly options: Readonly<Record<string, unknown>>;
  readonly resourceId?: string;
  readonly engine?: string;
  readonly unit?: { readonly resourceId: string };
}

/**
 * A proxy between one conductor and the fake cloud that can hold single calls. A held call is forwarded when its rule
 * is opened, even if the conductor that sent it has ended meanwhile.
 */
export class CloudGate {
  private readonly rules: GateRule[] = [];
  private readonly resources = new Map<string, string>();

  private constructor(
    private readonly target: string,
    private readonly server: Server,
  ) {
    server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
      this.pass(incoming, outgoing).catch(() => void outgoing.destroy());
    });
  }

  static async open(target: string): Promise<CloudGate> {
    const server = createServer();
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    return new CloudGate(target, server);
  }

  get url(): string {
    const address = this.server.address();
    if (typeof address !== 'object' || address === null)
      throw new Error('the gate does not listen on a port; it was closed');
    return `http://127.0.0.1:${address.port}`;
  }

  /** Adds a rule. Rules are checked in the order in which they were added. */
  rule(options: RuleOptions): GateRule {
    const rule = new GateRule(options);
    this.rules.push(rule);
    return rule;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const text = await textOf(incoming);
    const path = incoming.url ?? '/';
    if (incoming.method !== 'POST') return answer(outgoing, await this.forward(path));
    const body: CallBody = JSON.parse(text);
    const call = this.callOf(body);
    const rule = this.rules.find(each => each.takes(call));
    const stop = rule?.options.stop;
    if (stop?.at === 'fail') {
      void rule?.wait();
      return answer(outgoing, {
        status: 409,
        text: JSON.stringify({ failure: stop.failure, message: 'as asked for' }),
      });
    }
    if (stop?.at === 'request' || stop?.at === 'slow') await rule?.wait();
    const slowed =
      stop?.at === 'slow' ? JSON.stringify({ ...body, options: { ...body.options, latencyMs: stop.latencyMs } }) : text;
    const reply = await this.forward(path, slowed);
    if (stop?.at === 'reply' && rule?.takesAnswer(reply.text)) await rule.wait();
    answer(outgoing, reply);
  }

  /** Returns the resource of a call; a call that names only a unit has the resource of the earlier call of its task. */
  private callOf({ call, caller, resourceId, engine, unit }: CallBody): GatedCall {
    const known = resourceId ?? engine ?? unit?.resourceId ?? this.resources.get(caller.taskId) ?? '';
    this.resources.set(caller.taskId, known);
    return { call, operation: caller.operation, resourceId: known };
  }

  private async forward(path: string, body?: string): Promise<{ status: number; text: string }> {
    const headers = { 'content-type': 'application/json' };
    const reply = await fetch(`${this.target}${path}`, body === undefined ? {} : { method: 'POST', headers, body });
    return { status: reply.status, text: await reply.text() };
  }
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function answer(outgoing: ServerResponse, { status, text }: { status: number; text: string }): void {
  outgoing.writeHead(status, { 'content-type': 'application/json' }).end(text);
}

import {
  NoRespondersError,
  RequestTimeoutError,
  type Election,
  type Messaging,
  type MessagingConnection,
  type MessageSubscription,
} from '@stave/platform';
import type { Network } from '../kernel/network.js';
import type { Process } from '../kernel/process.js';
import type { Elections } from './elections.js';

interface Receiver {
  readonly subject: string;
  readonly queue?: string;
  readonly process: Process;
  readonly receive: (payload: unknown, subject: string, reply: (payload: unknown) => void) => void;
}

/** Observes each request with its answer when the handler has answered, before the answer can be lost. */
export type AnswerListener = (subject: string, request: unknown, answer: unknown) => void;

const nobody: readonly Receiver[] = [];

/** Finds the receivers of a subject; `*` matches one token. */
export class Broker {
  private readonly exact = new Map<string, readonly Receiver[]>();
  private readonly patterns = new Set<Receiver>();
  onAnswer: AnswerListener = () => undefined;

  add(receiver: Receiver): void {
    const { subject } = receiver;
    if (subject.includes('*')) this.patterns.add(receiver);
    else this.exact.set(subject, [...(this.exact.get(subject) ?? nobody), receiver]);
  }

  remove(receiver: Receiver): void {
    const { subject } = receiver;
    const others = this.exact.get(subject)?.filter(other => other !== receiver) ?? nobody;
    if (others.length === 0) this.exact.delete(subject);
    else this.exact.set(subject, others);
    this.patterns.delete(receiver);
  }

  find(subject: string, served: boolean): readonly Receiver[] {
    const tokens = subject.split('.');
    const matching = [...this.patterns].filter(receiver => isMatch(receiver.subject.split('.'), tokens));
    return [...(this.exact.get(subject) ?? nobody), ...matching].filter(
      ({ queue }) => (queue !== undefined) === served,
    );
  }
}

function isMatch(wanted: readonly string[], tokens: readonly string[]): boolean {
  return wanted.length === tokens.length && wanted.every((token, at) => token === '*' || token === tokens[at]);
}

const jsonOf = (payload: unknown): string => JSON.stringify(payload ?? null);

/** One process's connection to the broker. */
export class SimulatedMessaging implements Messaging {
  private readonly own = new Set<Receiver>();

  constructor(
    private readonly process: Process,
    private readonly network: Network,
    private readonly broker: Broker,
    private readonly elections: Elections,
  ) {
    process.onEnd(() => this.own.forEach(receiver => broker.remove(receiver)));
  }

  request(subject: string, payload: unknown, { timeoutMs }: { readonly timeoutMs: number }): Promise<unknown> {
    const { process, network, broker } = this;
    const chosen = process.sim.random.pick(broker.find(subject, true));
    return new Promise((resolve, reject) => {
      if (!chosen) return process.after(5, () => reject(new NoRespondersError(subject)));
      let open = true;
      const enter = process.entrance();
      process.after(timeoutMs, () => open && reject(new RequestTimeoutError(subject, timeoutMs)));
      const sent = jsonOf(payload);
      const { process: server } = chosen;
      network.send({ from: process, to: server, subject, kind: 'request' }, () =>
        chosen.receive(JSON.parse(sent), subject, answer => {
          broker.onAnswer(subject, payload, answer);
          const reply = jsonOf(answer);
          const take = (): void => {
            if (open) resolve(JSON.parse(reply));
            open = false;
          };
          network.send({ from: server, to: process, subject, kind: 'answer' }, take, enter);
        }),
      );
    });
  }

  serve(
    subject: string,
    queue: string,
    handler: (payload: unknown, subject: string) => Promise<unknown>,
  ): MessageSubscription {
    let running: Promise<unknown> = Promise.resolve();
    const receive: Receiver['receive'] = (payload, at, reply) => {
      const job = handler(payload, at).then(reply, (error: unknown) => this.failed(at, error));
      running = Promise.all([running, job]);
    };
    const remove = this.listen({ subject, queue, process: this.process, receive });
    return {
      close: async () => {
        remove();
        await running;
      },
    };
  }

  publish(subject: string, payload: unknown): void {
    const sent = jsonOf(payload);
    for (const receiver of this.broker.find(subject, false))
      this.network.send({ from: this.process, to: receiver.process, subject, kind: 'publication' }, () =>
        receiver.receive(JSON.parse(sent), subject, () => undefined),
      );
  }

  subscribe(subject: string, handler: (payload: unknown, subject: string) => void): MessageSubscription {
    const receive = (payload: unknown, at: string): void => handler(payload, at);
    const remove = this.listen({ subject, process: this.process, receive });
    return { close: async () => remove() };
  }

  elect(role: string, _candidate: string, onChange: (leading: boolean) => void): Election {
    return this.elections.join(this.process, role, onChange);
  }

  connection(): MessagingConnection {
    return { server: 'broker', upMs: Infinity };
  }

  /** A process that the network separates stays connected: its messages are lost. */
  onBroken(_listener: () => void): () => void {
    return () => undefined;
  }

  async ping(): Promise<void> {
    // the broker is always reachable
  }

  async flush(): Promise<void> {
    // there is no send buffer
  }

  async close(): Promise<void> {
    // subscriptions end with their process
  }

  /** A handler that throws leaves its requester without an answer. */
  private failed(subject: string, error: unknown): void {
    const { sim, name } = this.process;
    sim.note(() => `${name}: ${subject} failed: ${String(error)}`);
  }

  private listen(receiver: Receiver): () => void {
    this.broker.add(receiver);
    this.own.add(receiver);
    return () => {
      this.broker.remove(receiver);
      this.own.delete(receiver);
    };
  }
}

import {
  commandSubject,
  operationOwner,
  owners,
  type CommandResult,
  type ResourceName,
  type ServiceReply,
} from '@stave/contracts';
import { seededUuid } from '../kernel/globals.js';
import { Process } from '../kernel/process.js';
import { messagingOf, type Outside } from '../processes/ports.js';

const TIMEOUT_MS = 3_000;
const RETRY_MS = 700;
const TRIES = 15;

const actor = { keyId: 'operator', role: 'admin', project: null } as const;

/** The answer to one request. */
export interface Answer {
  readonly accepted: boolean;
  readonly code?: string;
  readonly data?: Partial<CommandResult> & Readonly<Record<string, unknown>>;
}

/**
 * Sends commands as the gateway does, from a process that never fails. An unanswered command is repeated with the same
 * idempotency key and must have one effect.
 */
export class Client {
  /** Ids of the operations in the answers of the services. */
  readonly accepted: string[] = [];
  private readonly process: Process;

  constructor(private readonly outside: Outside) {
    this.process = new Process('operator', outside.sim, async () => undefined);
    this.process.start();
  }

  command(resource: ResourceName, verb: string, body: object): Promise<Answer> {
    return this.send(commandSubject(owners[resource], resource, verb), body, seededUuid());
  }

  cancel(operationId: string): Promise<Answer> {
    const service = operationOwner(operationId) ?? 'cluster-service';
    return this.send(commandSubject(service, 'operation', 'cancel'), { id: operationId }, seededUuid());
  }

  after(ms: number, run: () => void): void {
    this.process.after(ms, run);
  }

  private async send(subject: string, body: object, idempotencyKey: string): Promise<Answer> {
    const { sim } = this.outside;
    const messaging = messagingOf(this.outside, this.process);
    const meta = { correlationId: seededUuid(), actor, idempotencyKey, request: subject };
    for (let attempt = 0; attempt < TRIES; attempt++) {
      sim.note(() => `operator: ${subject} ${JSON.stringify(body)} ${idempotencyKey}`);
      const answer = await messaging.request(subject, { meta, body }, { timeoutMs: TIMEOUT_MS }).catch(() => undefined);
      const reply = answer as ServiceReply<NonNullable<Answer['data']>> | undefined;
      sim.note(
        () => `operator: ${subject} ${idempotencyKey} -> ${JSON.stringify(reply)?.slice(0, 200) ?? 'no answer'}`,
      );
      if (reply?.ok) return this.take(reply.data);
      if (reply && !isWorthRepeating(reply.error.kind)) return { accepted: false, code: reply.error.code };
      await new Promise<void>(resolve => this.process.after(RETRY_MS, resolve));
    }
    return { accepted: false, code: 'no-answer' };
  }

  private take(data: NonNullable<Answer['data']>): Answer {
    if (data.operationId !== undefined) this.accepted.push(data.operationId);
    return { accepted: true, data };
  }
}

const isWorthRepeating = (kind: string): boolean => kind === 'unavailable' || kind === 'internal';

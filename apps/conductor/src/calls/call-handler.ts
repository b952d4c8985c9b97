import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { CallRequest, ErrorKind, ServedCallKind, ServiceError, ServiceReply } from '@stave/contracts';
import { DriverError, dispatchCall, type FailureClass } from '@stave/driver-sdk';
import { knownSecrets } from '@stave/platform';
import { ConductorContext } from '../conductor.context.js';
import { DriverPool } from '../drivers/driver-pool.js';
import type { OpenDriver } from '../drivers/open-driver.js';
import { fieldsOf } from '../message-fields.js';
import { SlotTableClient } from '../ring/slot-table.client.js';
import { TaskSecrets } from '../secrets/task-secrets.js';
import type { Session } from '../session/session.js';
import { LogStreams } from './log-streams.js';
import { logFailed } from './operation-answer.js';
import { isOperationCall, OperationHandler } from './operation-handler.js';

/** Longer logs lose their beginning, so that the reply fits into one message. */
const MAX_LOG_CHARS = 200_000;

/** Answers calls: logs, statistics, credentials, which change nothing, and operations of drivers. */
@Injectable()
export class CallHandler {
  constructor(
    private readonly drivers: DriverPool,
    private readonly tables: SlotTableClient,
    private readonly logs: LogStreams,
    private readonly secrets: TaskSecrets,
    private readonly operations: OperationHandler,
    private readonly context: ConductorContext,
  ) {}

  run(session: Session): void {
    this.operations.run(session);
  }

  close(): void {
    this.logs.close();
  }

  /** Throws when another conductor has to answer. Other errors become replies. */
  async handle(payload: unknown, token: string, slot: number): Promise<ServiceReply<unknown>> {
    const isOperation = isOperationCall(payload);
    if (!isOperation && !isCallRequest(payload))
      return refused('invalid-call', 'invalid', 'the message is not a call with a specification of its resource');
    const { driver } = payload;
    if (!this.tables.current.holds(token, slot, driver.version))
      throw new Error(`slot ${slot} of ${token} is not held for version ${driver.version}`);
    const open = this.drivers.find(driver.name, driver.version);
    if (!open) return refused('driver-not-open', 'unavailable', `driver ${driver.name} is not open on this conductor`);
    if (isOperation) return this.operations.handle(open, payload);
    try {
      return { ok: true, data: await this.runCall(open, payload) };
    } catch (error) {
      const shown = errorOf(error);
      const fields = { call: payload.kind, resource: payload.spec.id };
      logFailed(open.log, { what: 'call', fields, error, shown });
      return { ok: false, error: knownSecrets.cutJson(shown) };
    }
  }

  private async runCall(open: OpenDriver, { kind, spec }: CallRequest): Promise<unknown> {
    const ctx = open.callContext({
      signal: AbortSignal.timeout(this.context.times.callTimeoutMs),
      task: { taskId: `call:${randomUUID()}`, attempt: 0, generation: spec.generation },
      checkpoint: () => {
        throw new DriverError('unsupported', 'a call changes nothing on the infrastructure');
      },
    });
    if ('secrets' in spec && spec.secrets) await this.secrets.learn(spec.secrets, spec.options, open.driver, ctx);
    switch (kind) {
      case 'container.logs':
        return dispatchCall(open.driver, kind, ctx, spec).then(text =>
          knownSecrets.cutText(text).slice(-MAX_LOG_CHARS),
        );
      case 'container.followLogs':
        return this.logs.follow(signal => dispatchCall(open.driver, kind, { ...ctx, signal }, spec));
      case 'container.stats':
      case 'cluster.flavor':
      case 'node.expectedCapacity':
      case 'nodeGroup.removalOrder':
        return dispatchCall(open.driver, kind, ctx, spec);
      case 'cluster.credentials':
        return dispatchCall(open.driver, kind, ctx, spec).then(markedSecret);
    }
  }
}

const servedCalls: readonly string[] = [
  'container.logs',
  'container.followLogs',
  'container.stats',
  'node.expectedCapacity',
  'nodeGroup.removalOrder',
  'cluster.credentials',
  'cluster.flavor',
] satisfies readonly ServedCallKind[];

/** Checks what the handler itself relies on. The further content of `spec` is made by the owning service for this kind. */
function isCallRequest(payload: unknown): payload is CallRequest {
  const { kind, driver, spec } = fieldsOf(payload);
  const { name, version } = fieldsOf(driver);
  const { id, generation, tail } = fieldsOf(spec);
  const counts = kind === 'container.logs' || kind === 'container.followLogs' ? [generation, tail] : [generation];
  return (
    typeof kind === 'string' &&
    servedCalls.includes(kind) &&
    [name, version, id].every(text => typeof text === 'string') &&
    counts.every(n => Number.isInteger(n) && Number(n) >= 0)
  );
}

/** Marks all credentials except endpoints and addresses as secrets, so that only this reply carries them. */
function markedSecret(credentials: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const [name, value] of Object.entries(credentials))
    if (!/endpoint|address$/i.test(name)) knownSecrets.learn(value);
  return credentials;
}

const kinds: Readonly<Record<FailureClass, ErrorKind>> = {
  transient: 'unavailable',
  capacity: 'capacity',
  permanent: 'internal',
  notFound: 'not-found',
  conflict: 'conflict',
  unsupported: 'unsupported',
};

function errorOf(error: unknown): ServiceError {
  if (error instanceof DriverError) {
    const kind = kinds[error.failure];
    return { code: error.code ?? `driver-${kind}`, kind, detail: error.message };
  }
  const name = error instanceof Error ? error.name : typeof error;
  return { code: 'driver-failed', kind: 'unavailable', detail: `unexpected error: ${name}` };
}

function refused(code: string, kind: ErrorKind, detail: string): ServiceReply<never> {
  return { ok: false, error: { code, kind, detail } };
}

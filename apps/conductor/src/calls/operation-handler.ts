import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  OPERATION_CALL,
  OPERATION_CHECK,
  type OperationCall,
  type OperationReply,
  type ServiceReply,
} from '@stave/contracts';
import {
  DriverError,
  operationDefaults,
  typedParameters,
  type DriverContext,
  type DriverOperation,
  type OperationHandler as Handler,
} from '@stave/driver-sdk';
import { knownSecrets } from '@stave/platform';
import { ConductorContext } from '../conductor.context.js';
import type { OpenDriver } from '../drivers/open-driver.js';
import { fieldsOf } from '../message-fields.js';
import type { Session } from '../session/session.js';
import { LogStreams } from './log-streams.js';
import {
  answerInvalid,
  answerText,
  checkCall,
  logFailed,
  operationErrorOf,
  unknownOperation,
} from './operation-answer.js';
import { beforeDeadline, linesOf } from './operation-pieces.js';

/** Answers operations that drivers declare themselves. */
@Injectable()
export class OperationHandler {
  private session: Session | undefined;

  constructor(
    private readonly streams: LogStreams,
    private readonly context: ConductorContext,
  ) {}

  /** Operations that change something do so for this session. */
  run(session: Session): void {
    this.session = session;
  }

  /** Never rejects: errors become replies. Each call is one line of the log. */
  async handle(open: OpenDriver, call: OperationCall): Promise<ServiceReply<OperationReply>> {
    const { caller, name: operation, cluster } = call;
    const { actor, correlationId } = caller;
    const { clock } = this.context;
    const startedAt = clock.now();
    const said = { operation, cluster: cluster.id, actor, correlationId };
    try {
      const data = await this.answer(open, call);
      open.log.info({ ...said, ms: clock.now() - startedAt }, 'driver operation answered');
      return { ok: true, data };
    } catch (error) {
      const shown = operationErrorOf(error);
      const fields = { ...said, ms: clock.now() - startedAt };
      logFailed(open.log, { what: 'driver operation', fields, error, shown });
      return { ok: false, error: knownSecrets.cutJson(shown) };
    }
  }

  private async answer(open: OpenDriver, call: OperationCall): Promise<OperationReply> {
    const operation = open.manifest.operations?.find(({ name }) => name === call.name);
    const handler = open.driver.api?.[call.name];
    if (!operation || !handler) throw unknownOperation(open.manifest.name, call.name);
    const isPlan = call.kind === OPERATION_CHECK && !takesDryRun(operation);
    const { dryRun: _, ...others } = call.parameters;
    const parameters = typedParameters(operation, isPlan ? others : call.parameters);
    checkCall(operation, parameters, call.body);
    if (isPlan) return { answer: planOf(open.manifest.name, call) };
    const request = { cluster: call.cluster, parameters, body: operation.request && (call.body ?? {}) };
    const start = (signal: AbortSignal) => handler(this.driverContext(open, operation, call, signal), request);
    return operation.streaming ? this.streamed(operation, start) : this.single(operation, start);
  }

  private async single(
    operation: DriverOperation,
    start: (signal: AbortSignal) => ReturnType<Handler>,
  ): Promise<OperationReply> {
    const deadline = this.deadlineOf(operation);
    try {
      const answered = await beforeDeadline(operation, deadline.signal, async () => start(deadline.signal));
      if (isIterable(answered)) throw answerInvalid(operation, 'is a stream, which the manifest does not declare');
      return { answer: JSON.parse(answerText(operation, answered)) };
    } finally {
      deadline.clear();
    }
  }

  /** Answers when the first piece is there, so that what is wrong until then is a refusal. */
  private streamed(
    operation: DriverOperation,
    start: (signal: AbortSignal) => ReturnType<Handler>,
  ): Promise<OperationReply> {
    return this.streams.follow(async reading => {
      const deadline = this.deadlineOf(operation);
      try {
        const opened = async (): Promise<AsyncIterable<string>> => {
          const pieces = await start(reading);
          if (!isIterable(pieces)) throw answerInvalid(operation, 'is no stream, which the manifest declares');
          return linesOf(pieces, piece => answerText(operation, piece));
        };
        return await beforeDeadline(operation, deadline.signal, opened);
      } finally {
        deadline.clear();
      }
    });
  }

  private deadlineOf({ deadlineSeconds = operationDefaults.deadlineSeconds }: DriverOperation) {
    const controller = new AbortController();
    const clear = this.context.clock.after(deadlineSeconds * 1_000, () => controller.abort());
    return { signal: controller.signal, clear };
  }

  private driverContext(
    open: OpenDriver,
    operation: DriverOperation,
    { cluster }: OperationCall,
    signal: AbortSignal,
  ): DriverContext {
    const { session } = this;
    return open.callContext({
      signal: session ? AbortSignal.any([signal, session.signal]) : signal,
      task: { taskId: `operation:${randomUUID()}`, attempt: 0, generation: cluster.generation },
      checkpoint: () => {
        if (operation.method === 'GET')
          throw new DriverError('unsupported', `operation ${operation.name} is a GET, which changes nothing`);
        if (!session?.isAlive()) throw new DriverError('transient', "the conductor's session has ended");
        session.guard.check();
      },
    });
  }
}

/** Whether the driver answers dry runs of the operation itself. */
const takesDryRun = ({ parameters }: DriverOperation): boolean => 'dryRun' in Object(parameters?.['properties']);

/** What the product knows of an operation before the driver runs it. Nothing binds the operation to it, so it has no token. */
const planOf = (driver: string, { name, cluster: { id } }: OperationCall): object => ({
  events: [],
  diff: [],
  steps: [{ action: 'change', resource: { type: 'cluster', id }, reason: `operation ${name} of the driver ${driver}` }],
  unsettled: 'only the driver knows what its operation changes',
});

const isIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

/** Checks what the handler itself relies on. The rest is made by the gateway from the answer of cluster-service. */
export function isOperationCall(payload: unknown): payload is OperationCall {
  const { kind, driver, cluster, name, parameters, caller } = fieldsOf(payload);
  const { name: driverName, version } = fieldsOf(driver);
  const { id, generation } = fieldsOf(cluster);
  return (
    (kind === OPERATION_CALL || kind === OPERATION_CHECK) &&
    [driverName, version, id, name].every(text => typeof text === 'string') &&
    Number.isInteger(generation) &&
    [parameters, caller].every(part => typeof part === 'object' && part !== null)
  );
}

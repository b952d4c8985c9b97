import { DriverError, type DriverContext, type Machine } from '@stave/driver-sdk';
import { DockerEngine } from '../docker-engine.js';
import type { Caller, CallOptions } from '../engine-client.js';
import type { EngineEndpoint } from '../engine-endpoint.js';
import type { EngineInfo } from '../engine-types.js';
import type { KnownMachine } from './known-machine.js';
import type { MachineEndpoints } from './machine-endpoints.js';
import { unreachable } from './machine-secrets.js';
import { unsuitable } from './machine-url.js';

const infoTimeoutMs = 8_000;

/** Opens the engines of machines. */
export class MachineEngines {
  constructor(private readonly endpoints: MachineEndpoints) {}

  /** Returns whatever engine answers at the URL. */
  any(machine: Pick<Machine, 'engine'>): DockerEngine {
    return new DockerEngine(this.endpoints.of(machine.engine));
  }

  /** Returns the engine of the machine. Each use looks first whether another one answers in its place. */
  known(machine: KnownMachine): DockerEngine {
    return new KnownEngine(this.endpoints.of(machine.engine), machine.engineId);
  }

  addressOf(machine: Pick<Machine, 'engine'>): Promise<string> {
    return this.endpoints.addressOf(machine.engine);
  }

  /**
   * Returns what the engine of the machine says of itself. Throws `engine-unreachable` where it does not answer, and `engine-changed` where
   * another one does.
   */
  async info(ctx: DriverContext, machine: Machine): Promise<EngineInfo & { readonly ID: string }> {
    const info = await reached(() => this.any(machine).info(ctx, infoTimeoutMs));
    const { ID } = info;
    if (ID === undefined || ID === '') throw unsuitable('the engine reports no identity');
    if (machine.engineId !== undefined && machine.engineId !== ID) throw changed(machine.engineId, ID);
    return { ...info, ID };
  }
}

/** Says of a failure without an answer that the engine is unreachable. */
export async function reached<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DriverError) || error.code !== undefined || error.failure !== 'transient') throw error;
    throw unreachable(error.message, error);
  }
}

/** Returns the error of a machine whose place another engine has taken: nothing of it is touched. */
const changed = (wanted: string, found: string): DriverError =>
  new DriverError('permanent', `another engine answers: ${found} instead of ${wanted}`, { code: 'engine-changed' });

/** An engine that is asked for its identity before its first request. */
class KnownEngine extends DockerEngine {
  private checked: Promise<void> | undefined;

  constructor(
    endpoint: EngineEndpoint,
    private readonly wanted: string,
  ) {
    super(endpoint);
  }

  protected override async send(caller: Caller, method: string, path: string, options: CallOptions) {
    this.checked ??= this.check(caller, options.timeoutMs);
    await this.checked;
    return super.send(caller, method, path, options);
  }

  private async check(caller: Caller, timeoutMs = infoTimeoutMs): Promise<void> {
    const answer = await super.send(caller, 'GET', '/info', { timeoutMs: Math.max(timeoutMs, 3_000) });
    const parts: Buffer[] = [];
    for await (const part of answer) parts.push(part as Buffer);
    const { ID = '' } = JSON.parse(Buffer.concat(parts).toString('utf8')) as EngineInfo;
    if (ID !== this.wanted) throw changed(this.wanted, ID);
  }
}

import {
  InProcessCloud,
  type CloudReply,
  type CloudRequest,
  type FakeCloud,
  type JournalEntry,
} from '@stave/driver-fake';
import { DriverError } from '@stave/driver-sdk';
import type { Network } from '../kernel/network.js';
import type { Process } from '../kernel/process.js';

/** Called when a driver starts a change, right after its last check. */
export type ChangeListener = (process: Process, request: CloudRequest) => void;

/** The fake driver's own cloud, with its journal in memory. */
export class SimulatedCloud {
  readonly journal: JournalEntry[] = [];
  readonly cloud: InProcessCloud;
  onChange: ChangeListener = () => undefined;

  constructor() {
    const journal = { append: (entry: JournalEntry) => void this.journal.push(entry), close: () => undefined };
    this.cloud = InProcessCloud.over(journal);
  }

  /** Connects a process to the cloud. */
  connect(process: Process, network: Network): FakeCloud {
    return {
      call: request => this.call(process, network, request),
      close: async () => undefined,
    };
  }

  private async call(process: Process, network: Network, request: CloudRequest): Promise<CloudReply> {
    const { sim } = process;
    if (request.call !== 'find' && request.call !== 'list') {
      sim.note(() => `${process.name}: cloud ${describe(request)}`);
      this.onChange(process, request);
      const byChance = sim.happens(sim.profile.frozenAtChange) ? sim.random.within(sim.profile.frozenAtChangeMs) : 0;
      const frozenMs = sim.directed?.freezeAtChangeMs(process, request) ?? byChance;
      if (frozenMs > 0) {
        process.freeze(frozenMs);
        await new Promise<void>(resolve => process.after(0, resolve));
      }
    }
    return network.call(
      process,
      async () => {
        const reply = await this.cloud.call(request);
        const { effect, unit } = this.journal.at(-1) ?? {};
        sim.note(() => `cloud: ${describe(request)} -> ${effect ?? 'no effect'} ${unit ?? ''}`);
        return reply;
      },
      () => new DriverError('transient', 'the simulated cloud did not answer'),
    );
  }
}

function describe(request: CloudRequest): string {
  const { taskId, attempt, operation } = request.caller;
  const { call } = request;
  const unit = call === 'create' ? `${request.unit.resourceId}-g${request.unit.generation}` : '';
  const id = call === 'remove' || call === 'act' ? request.infrastructureId : '';
  return `${operation} ${call} ${unit}${id} for ${taskId}/${attempt}`;
}

import type { RecordedEvent } from '@stave/platform';
import { Client } from '../environment/client.js';
import type { Process } from '../kernel/process.js';
import { DirectedSchedule } from './directed-schedule.js';

const BEGINS_AT_MS = 12_000;
const EVERY_MS = 9_000;
const UNINFORMED_MS = 4_000;
const ROUNDS = 3;

interface Reserved {
  readonly placements: readonly {
    readonly nodeId: string;
    readonly attached?: { readonly volumes?: readonly unknown[] };
  }[];
}

/** The removal of a node is requested right after data was bound to it, of which nodegroup-service has not heard. */
export class DataOnLeavingNodes extends DirectedSchedule {
  private readonly client = new Client(this.environment.outside);
  private uninformedUntil = 0;

  override start(): void {
    for (let round = 0; round < ROUNDS; round++)
      this.sim.after(BEGINS_AT_MS + round * EVERY_MS, () => this.bind(`books-${round}`));
  }

  override stopsFeeds({ name }: Process): boolean {
    return this.sim.now < this.uninformedUntil && name.startsWith('nodegroup-service');
  }

  override recorded(event: RecordedEvent): void {
    super.recorded(event);
    if (event.type !== 'PlacementsReserved') return;
    for (const { nodeId, attached } of (event.data as Reserved).placements)
      if (attached?.volumes) void this.client.command('node', 'delete', { id: nodeId, lowerMin: true });
  }

  private bind(name: string): void {
    this.uninformedUntil = this.sim.now + UNINFORMED_MS;
    void this.client.command('container', 'create', { profile: 'web', volumes: [{ name, mountPath: '/books' }] });
  }
}

import type { TableReply } from '@stave/contracts';
import { getOrCreate, type Holding } from '@stave/domain';

/** The slots that this conductor holds at one epoch. */
export class SlotTable {
  readonly epoch: number;
  readonly holdings: readonly Holding[];
  private readonly slotsByToken = new Map<string, Set<number>>();

  constructor({ epoch, holdings }: Pick<TableReply, 'epoch' | 'holdings'>) {
    this.epoch = epoch;
    this.holdings = holdings;
    for (const { token, slots } of holdings) {
      const held = getOrCreate(this.slotsByToken, token, () => new Set());
      slots.forEach(slot => held.add(slot));
    }
  }

  get tokens(): readonly string[] {
    return [...this.slotsByToken.keys()];
  }

  /** The number of slots, over all rings and recorded versions. */
  get size(): number {
    return this.holdings.reduce((sum, { slots }) => sum + slots.length, 0);
  }

  /** Returns the slots of all recorded versions. */
  slotsOf(token: string): ReadonlySet<number> {
    return this.slotsByToken.get(token) ?? new Set();
  }

  /** Returns the drivers whose tasks a hint for this slot may concern. */
  driversOf(token: string, slot: number): readonly string[] {
    const drivers = this.holdings
      .filter(holding => holding.token === token && holding.slots.includes(slot))
      .map(holding => holding.driver);
    return [...new Set(drivers)];
  }

  holds(token: string, slot: number, version: string): boolean {
    return this.holdings.some(
      holding => holding.token === token && holding.version === version && holding.slots.includes(slot),
    );
  }
}

export const emptyTable = new SlotTable({ epoch: -1, holdings: [] });

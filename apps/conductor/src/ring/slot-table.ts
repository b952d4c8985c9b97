import type { TableReply } from '@stave/contracts';
import type { Holding } from '@stave/domain';

/** The slots that this conductor holds at one epoch. */
export class SlotTable {
  private readonly slotsByToken = new Map<string, Set<number>>();

  constructor(
    readonly epoch: number,
    readonly holdings: readonly Holding[],
  ) {
    for (const { token, slots } of holdings) {
      const held = this.slotsByToken.get(token) ?? new Set();
      slots.forEach(slot => held.add(slot));
      this.slotsByToken.set(token, held);
    }
  }

  static of(reply: TableReply): SlotTable {
    return new SlotTable(reply.epoch, reply.holdings);
  }

  get tokens(): readonly string[] {
    return [...this.slotsByToken.keys()];
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

export const emptyTable = new SlotTable(-1, []);

/** Returns the key token and slot of `stave.work.<token>.<slot>` or `stave.call.<token>.<slot>`. */
export function parseSlotSubject(subject: string): { readonly token: string; readonly slot: number } | undefined {
  const [, , token, slot] = subject.split('.');
  return token !== undefined && slot !== undefined && /^\d+$/.test(slot) ? { token, slot: Number(slot) } : undefined;
}

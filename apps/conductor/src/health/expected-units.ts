import type { ExpectedReply, ExpectedRequest, ExpectedUnit } from '@stave/contracts';

export type AskExpected = (request: ExpectedRequest) => Promise<ExpectedReply>;

/** What a refresh requests: the slots, and how many units a page has. */
export type ExpectedScope = Omit<ExpectedRequest, 'after' | 'since' | 'everySlot'>;

/** The units of some slots that a service expects. They are requested once; after that, only what changed is. */
export class ExpectedUnits {
  private units = new Map<string, ExpectedUnit>();
  private listed: readonly ExpectedUnit[] = [];
  /** The slots of the units, and the position in the log that they show. */
  private known: { readonly slots: string; readonly position: number } | undefined;

  get size(): number {
    return this.units.size;
  }

  has(resourceId: string): boolean {
    return this.units.has(resourceId);
  }

  /** Brings the units up to date and returns them. A rejection of `ask` leaves them as they were. */
  async refresh(scope: ExpectedScope, ask: AskExpected): Promise<readonly ExpectedUnit[]> {
    const slots = JSON.stringify([scope.session, scope.epoch, scope.holdings]);
    const since = this.known?.slots === slots ? { since: this.known.position } : {};
    const reply = await ask({ ...scope, ...since });
    const { position, gone } = reply;
    if (gone) this.change(reply.units, gone);
    else {
      this.listed = await pagesFrom(reply, scope, ask);
      this.units = new Map(this.listed.map(unit => [unit.resourceId, unit]));
    }
    this.known = { slots, position };
    return this.listed;
  }

  private change(units: readonly ExpectedUnit[], gone: readonly string[]): void {
    if (units.length === 0 && gone.length === 0) return;
    for (const id of gone) this.units.delete(id);
    for (const unit of units) this.units.set(unit.resourceId, unit);
    this.listed = [...this.units.values()];
  }
}

/** Returns the units of the first page and of all that follow it. */
export async function pagesFrom(
  first: ExpectedReply,
  scope: Omit<ExpectedRequest, 'after' | 'since'>,
  ask: AskExpected,
): Promise<readonly ExpectedUnit[]> {
  const units = [...first.units];
  for (let { next } = first; next !== undefined;) {
    const page = await ask({ ...scope, after: next });
    units.push(...page.units);
    next = page.next;
  }
  return units;
}

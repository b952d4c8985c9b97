import type { ExpectedReply, ExpectedRequest, ExpectedUnit } from '@stave/contracts';

export type AskExpected = (request: ExpectedRequest) => Promise<ExpectedReply>;

/** What a refresh requests: the slots, and how many units a page has. */
export type ExpectedScope = Omit<ExpectedRequest, 'after' | 'since' | 'everySlot'>;

/** The units of some slots that a service expects. They are requested once; after that, only what changed is. */
export class ExpectedUnits {
  private units = new Map<string, ExpectedUnit>();
  /** What changed since the last call of `takeChanges`; undefined: anything may have. */
  private changed: Set<string> | undefined;
  /** The slots of the units, and the position in the log that they show. */
  private samplingPeriod: number | undefined;
  private known: { readonly slots: string; readonly position: number } | undefined;

  get size(): number {
    return this.units.size;
  }

  /** Milliseconds between two samples that the service wants; undefined: it says nothing. */
  get samplingMs(): number | undefined {
    return this.samplingPeriod;
  }

  has(resourceId: string): boolean {
    return this.units.has(resourceId);
  }

  get(resourceId: string): ExpectedUnit | undefined {
    return this.units.get(resourceId);
  }

  all(): Iterable<ExpectedUnit> {
    return this.units.values();
  }

  /** Returns the resources whose unit changed, came or left since the last call; undefined where it may be any. */
  takeChanges(): ReadonlySet<string> | undefined {
    const { changed } = this;
    this.changed = new Set();
    return changed;
  }

  /** Forgets all units: the conductor has no slots. */
  clear(): void {
    this.units = new Map();
    this.changed = undefined;
    this.known = undefined;
  }

  /** Brings the units up to date. A rejection of `ask` leaves them as they were. */
  async refresh(scope: ExpectedScope, ask: AskExpected): Promise<void> {
    const slots = JSON.stringify([scope.session, scope.epoch, scope.holdings]);
    const since = this.known?.slots === slots ? { since: this.known.position } : {};
    const reply = await ask({ ...scope, ...since });
    const { position, gone } = reply;
    this.samplingPeriod = reply.samplingMs;
    if (gone) this.change(reply.units, gone);
    else {
      const all = await pagesFrom(reply, scope, ask);
      this.units = new Map(all.map(unit => [unit.resourceId, unit]));
      this.changed = undefined;
    }
    this.known = { slots, position };
  }

  private change(units: readonly ExpectedUnit[], gone: readonly string[]): void {
    for (const id of gone) {
      this.units.delete(id);
      this.changed?.add(id);
    }
    for (const unit of units) {
      this.units.set(unit.resourceId, unit);
      this.changed?.add(unit.resourceId);
    }
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

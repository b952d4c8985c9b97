import { getOrCreate, slotOf } from '@stave/domain';

interface Entry {
  readonly key: string;
  readonly slot: number;
}

/** Open tasks by `key|version` and slot, so that a claim reads its own slots only. */
export class TaskIndex {
  private readonly entries = new Map<string, Entry>();
  private readonly byKey = new Map<string, Map<number, Set<string>>>();

  put(id: string, key: string, version: string): void {
    const full = `${key}|${version}`;
    const slot = slotOf(id);
    if (this.entries.get(id)?.key === full) return;
    this.remove(id);
    this.entries.set(id, { key: full, slot });
    const slots = getOrCreate(this.byKey, full, () => new Map<number, Set<string>>());
    getOrCreate(slots, slot, () => new Set()).add(id);
  }

  remove(id: string): void {
    const entry = this.entries.get(id);
    if (!entry) return;
    this.entries.delete(id);
    const slots = this.byKey.get(entry.key);
    const ids = slots?.get(entry.slot);
    ids?.delete(id);
    if (ids?.size === 0) slots?.delete(entry.slot);
    if (slots?.size === 0) this.byKey.delete(entry.key);
  }

  *in(key: string, version: string, slots: readonly number[]): Iterable<string> {
    const bySlot = this.byKey.get(`${key}|${version}`);
    if (!bySlot) return;
    for (const slot of slots) yield* bySlot.get(slot) ?? [];
  }
}

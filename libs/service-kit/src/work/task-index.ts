import { getOrCreate, slotOf, type RingView } from '@stave/domain';
import type { ClaimRequest } from '@stave/contracts';

interface Entry {
  readonly key: string;
  readonly project: string;
  readonly slot: number;
}

type BySlot = Map<number, Set<string>>;

/** Open tasks by `key|version`, project and slot, so that a claim reads its own slots only, and of each project as many as it takes. */
export class TaskIndex {
  private readonly entries = new Map<string, Entry>();
  private readonly byKey = new Map<string, Map<string, BySlot>>();

  get size(): number {
    return this.entries.size;
  }

  put(id: string, key: string, version: string, project: string): void {
    const full = `${key}|${version}`;
    const known = this.entries.get(id);
    if (known?.key === full && known.project === project) return;
    this.remove(id);
    const slot = slotOf(id);
    this.entries.set(id, { key: full, project, slot });
    const projects = getOrCreate(this.byKey, full, () => new Map<string, BySlot>());
    const slots = getOrCreate(projects, project, () => new Map<number, Set<string>>());
    getOrCreate(slots, slot, () => new Set()).add(id);
  }

  remove(id: string): void {
    const entry = this.entries.get(id);
    if (!entry) return;
    this.entries.delete(id);
    const projects = this.byKey.get(entry.key);
    const slots = projects?.get(entry.project);
    const ids = slots?.get(entry.slot);
    ids?.delete(id);
    if (ids?.size === 0) slots?.delete(entry.slot);
    if (slots?.size === 0) projects?.delete(entry.project);
    if (projects?.size === 0) this.byKey.delete(entry.key);
  }

  /** Returns the open tasks by project, in the slots of the holdings that the conductor owns. Each project is read as far as it is iterated. */
  *openFor({ conductor, holdings }: ClaimRequest, view: RingView): Iterable<readonly [string, Iterable<string>]> {
    for (const { key, version, slots } of holdings) {
      const projects = this.byKey.get(`${key}|${version}`);
      if (!projects) continue;
      const { owners } = view.tableFor(key, version);
      const owned = new Set(slots.filter(slot => owners[slot] === conductor));
      for (const [project, bySlot] of projects) yield [project, tasksIn(bySlot, owned)];
    }
  }
}

function* tasksIn(bySlot: BySlot, slots: ReadonlySet<number>): Iterable<string> {
  if (bySlot.size < slots.size) {
    for (const [slot, ids] of bySlot) if (slots.has(slot)) yield* ids;
  } else {
    for (const slot of slots) yield* bySlot.get(slot) ?? [];
  }
}

import { getOrCreate } from '../kernel/get-or-create.js';
import { EMPTY_TABLE, nextTable, type RingMember, type SlotTable } from './slot-table.js';
import { canOperate, type DriverVersion } from './version-range.js';

/** A ring member that offers the driver of a key, with all its versions. */
export interface KeyMember extends RingMember {
  readonly versions: readonly DriverVersion[];
}

/** Computes the next table: {@link nextTable}, or a function with the same results. */
export type TableStep = typeof nextTable;

type Change = { readonly id: string; readonly member: KeyMember | undefined };

class Replay {
  private readonly members = new Map<string, KeyMember>();
  private table: SlotTable | undefined;
  private at = 0;

  constructor(
    private readonly recordedVersion: string,
    private readonly step: TableStep,
  ) {}

  catchUp(changes: readonly Change[]): SlotTable {
    for (; this.at < changes.length; this.at += 1) {
      const change = changes[this.at];
      if (change !== undefined && this.concerns(change)) this.table = this.step(this.table, [...this.members.values()]);
    }
    return this.table ?? EMPTY_TABLE;
  }

  /** Applies the change. Returns false when the members of this version stay the same. */
  private concerns({ id, member }: Change): boolean {
    const before = this.members.get(id);
    if (member?.versions.some(version => canOperate(version, this.recordedVersion))) {
      this.members.set(id, member);
      return before?.weight !== member.weight;
    }
    return this.members.delete(id);
  }
}

/**
 * The changes of the members of one ring key, and the tables that follow from them. A table depends on all changes before it, so it is
 * computed from the first change on when its version is first needed: all processes get the same table at any time. When the last member
 * leaves, every table is empty and the history starts again.
 */
export class KeyHistory {
  private readonly current = new Set<string>();
  private changes: Change[] = [];
  private readonly replays = new Map<string, Replay>();

  constructor(private readonly step: TableStep = nextTable) {}

  set(member: KeyMember): void {
    this.current.add(member.id);
    this.changes.push({ id: member.id, member });
  }

  remove(id: string): void {
    if (!this.current.delete(id)) return;
    this.changes.push({ id, member: undefined });
    if (this.current.size > 0) return;
    this.changes = [];
    this.replays.clear();
  }

  get size(): number {
    return this.current.size;
  }

  has(id: string): boolean {
    return this.current.has(id);
  }

  tableFor(recordedVersion: string): SlotTable {
    const replay = getOrCreate(this.replays, recordedVersion, () => new Replay(recordedVersion, this.step));
    return replay.catchUp(this.changes);
  }
}

import { getOrCreate } from '../kernel/get-or-create.js';
import { EMPTY_TABLE, nextTable, type RingMember, type SlotTable } from './slot-table.js';
import { canOperate, type DriverVersion } from './version-range.js';
import { covers, divided, includes, isAdjacent, spanOf, type VersionSpan } from './version-span.js';

/** A ring member that offers the driver of a key, with all its versions. */
export interface KeyMember extends RingMember {
  readonly versions: readonly DriverVersion[];
}

/** Computes the next table: {@link nextTable}, or a function with the same results. */
export type TableStep = typeof nextTable;

type Change = { readonly id: string; readonly member: KeyMember | undefined };

/** The versions that have the same members and the same table, and those. */
interface Lineage extends VersionSpan {
  readonly members: ReadonlyMap<string, KeyMember>;
  readonly table: SlotTable;
}

type Origin = Pick<Lineage, 'members' | 'table'>;

const NOBODY: Origin = { members: new Map(), table: EMPTY_TABLE };

/** Applies changes for versions that the same offers can operate. */
class Replay {
  readonly members: Map<string, KeyMember>;
  private current: SlotTable;
  private at = 0;

  constructor(
    origin: Origin,
    private readonly operates: (offer: DriverVersion) => boolean,
    private readonly step: TableStep,
  ) {
    this.members = new Map(origin.members);
    this.current = origin.table;
  }

  catchUp(changes: readonly Change[]): SlotTable {
    for (; this.at < changes.length; this.at += 1) {
      const change = changes[this.at];
      if (change !== undefined && this.concerns(change))
        this.current = this.step(this.current, [...this.members.values()]);
    }
    return this.current;
  }

  /** Applies the change. Returns false when the members of this version stay the same. */
  private concerns({ id, member }: Change): boolean {
    const before = this.members.get(id);
    if (member?.versions.some(this.operates)) {
      this.members.set(id, member);
      return before?.weight !== member.weight;
    }
    return this.members.delete(id);
  }
}

/** Changes that are kept before they are applied for all versions. More would save no work, and apply more at once. */
const MOST_CHANGES = 64;

/**
 * The tables of one ring key. A table depends on all changes of the members before it, so that all processes get the same table at any time,
 * whatever was asked before. The last changes are kept, and applied for a version when its table is needed. Older ones are applied for all
 * versions: what is kept of them are the different tables, and nothing for versions that no member can operate.
 */
export class KeyHistory {
  private readonly current = new Map<string, KeyMember>();
  private changes: Change[] = [];
  private readonly replays = new Map<string, Replay>();
  /** What followed from older changes, ordered by version. Versions in none of them had no members. */
  private lineages: readonly Lineage[] = [];

  constructor(
    private readonly step: TableStep = nextTable,
    private readonly mostChanges = MOST_CHANGES,
  ) {}

  set(member: KeyMember): void {
    const before = this.current.get(member.id);
    if (before && isSame(before, member)) return;
    this.current.set(member.id, member);
    this.note({ id: member.id, member });
  }

  remove(id: string): void {
    if (this.current.delete(id)) this.note({ id, member: undefined });
  }

  get size(): number {
    return this.current.size;
  }

  /** The number of changes and tables that are kept. */
  get kept(): number {
    return this.changes.length + this.lineages.length;
  }

  has(id: string): boolean {
    return this.current.has(id);
  }

  tableFor(recordedVersion: string): SlotTable {
    return getOrCreate(this.replays, recordedVersion, () => this.replayOf(recordedVersion)).catchUp(this.changes);
  }

  private note(change: Change): void {
    this.changes.push(change);
    if (this.changes.length > this.mostChanges) this.apply();
  }

  private replayOf(version: string): Replay {
    const origin = this.lineages.find(span => includes(span, version)) ?? NOBODY;
    return new Replay(origin, offer => canOperate(offer, version), this.step);
  }

  /** Applies the changes for all versions. */
  private apply(): void {
    const offers = this.changes.flatMap(({ member }) => member?.versions ?? []).flatMap(offer => spanOf(offer) ?? []);
    const next: Lineage[] = [];
    for (const span of divided([...this.lineages, ...offers])) {
      const origin = this.lineages.find(lineage => covers(lineage, span)) ?? NOBODY;
      const operates = (offer: DriverVersion): boolean => {
        const operated = spanOf(offer);
        return operated !== undefined && covers(operated, span);
      };
      const replay = new Replay(origin, operates, this.step);
      const table = replay.catchUp(this.changes);
      if (replay.members.size > 0) append(next, { ...span, members: replay.members, table });
    }
    this.lineages = next;
    this.changes = [];
    this.replays.clear();
  }
}

/** Appends the lineage, or extends the last one where it continues that with the same members and table. */
function append(lineages: Lineage[], next: Lineage): void {
  const last = lineages.at(-1);
  const continues = last && isAdjacent(last, next) && hasSameFuture(last, next);
  if (!continues) return void lineages.push(next);
  lineages[lineages.length - 1] = { ...last, to: next.to };
}

const hasSameFuture = (a: Lineage, b: Lineage): boolean =>
  a.members.size === b.members.size &&
  [...a.members].every(([id, { weight }]) => b.members.get(id)?.weight === weight) &&
  a.table.owners.every((owner, slot) => owner === b.table.owners[slot]);

const isSame = (a: KeyMember, b: KeyMember): boolean =>
  a.weight === b.weight &&
  a.versions.length === b.versions.length &&
  a.versions.every(({ version, compatibleFrom }, i) => {
    const other = b.versions[i];
    return version === other?.version && compatibleFrom === other.compatibleFrom;
  });

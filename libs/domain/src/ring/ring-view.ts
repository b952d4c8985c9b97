import { KeyHistory, type KeyMember, type TableStep } from './key-history.js';
import type { ConductorJoined, RingEvent } from './ring-events.js';
import { foldGroup, keyToken, parseRingKey, ringKey, type KeyMode } from './ring-key.js';
import { evolveRing, initialRing, type LiveMember, type RingState } from './ring-state.js';
import { EMPTY_TABLE, nextTable, type SlotTable } from './slot-table.js';
import { slotOf } from './slot.js';
import { canOperate, newestFirst, oldestFirst } from './version-range.js';

/** The slots a conductor holds of a key, for resources recorded with one version of the driver. */
export interface Holding {
  readonly key: string;
  readonly token: string;
  readonly driver: string;
  /** The recorded version. */
  readonly version: string;
  readonly slots: readonly number[];
}

interface OfferedByRing {
  readonly driver: string;
  /** Newest first. */
  readonly versions: readonly string[];
  /** As given by their conductors, one per normalised group, sorted. */
  readonly groups: readonly string[];
  /** Newest first, of each of these groups. */
  readonly versionsByGroup: Readonly<Record<string, readonly string[]>>;
}

/** A conductor and the version of the driver that it uses. */
interface Operator {
  readonly conductor: string;
  readonly version: string;
}

/**
 * Who is alive and who owns which slot, folded from the ring stream. Two views fed the same events give the same
 * answers, whatever they were asked before. Not for concurrent writers; answers are snapshots of the current epoch.
 */
export class RingView {
  private state: RingState = initialRing;
  private readonly keys = new Map<string, KeyHistory>();
  private readonly tokens = new Map<string, string>();
  /** Every version of a driver that was ever offered: resources may be recorded with any of them. */
  private readonly seen = new Map<string, Set<string>>();

  /** `step` computes the next table; a caller that evaluates the same histories repeatedly passes one that caches. */
  constructor(private readonly step: TableStep = nextTable) {}

  /** Takes in the stream's next event. An event at or below {@link epoch} was seen and is ignored; a gap throws. */
  apply(event: RingEvent, revision: number): void {
    if (revision <= this.epoch) return;
    if (revision !== this.epoch + 1)
      throw new RangeError(`ring event ${revision} after ${this.epoch}: events are missing`);
    this.moveSlots(event);
    this.state = evolveRing(this.state, event, revision);
  }

  /** Revision of the last event taken in; -1 before the first. */
  get epoch(): number {
    return this.state.epoch;
  }

  get mode(): KeyMode {
    return this.state.mode;
  }

  /** The fold that {@link decideRing} takes. */
  get ringState(): RingState {
    return this.state;
  }

  isLive(session: string): boolean {
    for (const member of this.state.members.values()) if (member.session === session) return true;
    return false;
  }

  /** The live member with this id, draining or not. */
  member(conductor: string): LiveMember | undefined {
    return this.state.members.get(conductor);
  }

  /** Live members, services and draining conductors included. */
  members(): readonly LiveMember[] {
    return [...this.state.members.values()];
  }

  /** The key of this group and driver in the current mode. */
  keyFor(group: string, driver: string): string {
    return ringKey(group, driver, this.mode);
  }

  /** The token of a key as used in subjects, computed once. */
  tokenOf(key: string): string {
    const token = this.tokens.get(key) ?? keyToken(key);
    this.tokens.set(key, token);
    return token;
  }

  /** Keys of the current mode that have at least one member that is not draining, sorted. */
  ringKeys(): readonly string[] {
    const ofMode = (key: string): boolean => (parseRingKey(key).group === undefined) === (this.mode === 'pinned');
    return [...this.keys]
      .filter(([key, history]) => ofMode(key) && history.size > 0)
      .map(([key]) => key)
      .sort();
  }

  /** The table of a key over the members that can operate this recorded version; empty when there is none. */
  tableFor(key: string, recordedVersion: string): SlotTable {
    return this.keys.get(key)?.tableFor(recordedVersion) ?? EMPTY_TABLE;
  }

  /** The conductor that should work on a resource, if any can. */
  ownerOf(key: string, recordedVersion: string, resourceId: string): string | undefined {
    return this.tableFor(key, recordedVersion).owners[slotOf(resourceId)];
  }

  /**
   * What a conductor holds under the current mode, per key and recorded version. The recorded versions are all that
   * were ever offered of the driver, unless those in use are given. Holdings without slots are left out.
   */
  holdings(conductor: string, versionsInUse?: (driver: string) => Iterable<string>): readonly Holding[] {
    return this.ringKeys()
      .filter(key => this.keys.get(key)?.has(conductor))
      .flatMap(key => this.holdingsOf(conductor, key, versionsInUse));
  }

  /** Drivers that live conductors not draining offer, by name. */
  offered(): readonly OfferedByRing[] {
    const names = new Set(this.active().flatMap(member => member.drivers.map(driver => driver.name)));
    return [...names].sort().map(driver => {
      const offering = this.active().filter(member => member.drivers.some(({ name }) => name === driver));
      const groups = groupsOf(offering);
      const inGroup = (group: string): LiveMember[] =>
        offering.filter(({ group: own }) => foldGroup(own) === foldGroup(group));
      const versionsByGroup = Object.fromEntries(groups.map(group => [group, versionsOf(inGroup(group), driver)]));
      return { driver, versions: versionsOf(offering, driver), groups, versionsByGroup };
    });
  }

  /**
   * Versions, newest first, that resources of this group can be created with; with `recorded`, those that can operate
   * what this version built. While pinned, those of any group.
   */
  versionsOffered(group: string, driver: string, recorded?: string): readonly string[] {
    const folded = foldGroup(group);
    const inReach = this.active().filter(({ group: own }) => this.mode === 'pinned' || foldGroup(own) === folded);
    return versionsOf(inReach, driver, recorded);
  }

  /** Who works on a resource now, and with which of its versions: the newest that can operate what `recorded` built. */
  operatorOf(group: string, driver: string, recorded: string, resourceId: string): Operator | undefined {
    const conductor = this.ownerOf(this.keyFor(group, driver), recorded, resourceId);
    const member = conductor === undefined ? undefined : this.member(conductor);
    const version = member && newestOf(member, driver, recorded);
    return member && version !== undefined ? { conductor: member.conductor, version } : undefined;
  }

  /**
   * What to use for this group: the newest version of its own conductors; while pinned, of any group only when it has none
   * of its own, for what is built must still have somebody when the pin is gone. `recorded` as for {@link versionsOffered}.
   */
  newestOffered(group: string, driver: string, recorded?: string): string | undefined {
    const own = this.active().filter(member => foldGroup(member.group) === foldGroup(group));
    return versionsOf(own, driver, recorded)[0] ?? this.versionsOffered(group, driver, recorded)[0];
  }

  private active(): LiveMember[] {
    return this.members().filter(member => member.kind === 'conductor' && member.drainingUntil === undefined);
  }

  private holdingsOf(
    conductor: string,
    key: string,
    inUse: ((driver: string) => Iterable<string>) | undefined,
  ): Holding[] {
    const { driver } = parseRingKey(key);
    const versions = [...new Set(inUse?.(driver) ?? this.seen.get(driver) ?? [])].sort(oldestFirst);
    return versions.flatMap(version => {
      const slots: number[] = [];
      this.tableFor(key, version).owners.forEach((owner, slot) => {
        if (owner === conductor) slots.push(slot);
      });
      return slots.length === 0 ? [] : [{ key, token: this.tokenOf(key), driver, version, slots }];
    });
  }

  private moveSlots(event: RingEvent): void {
    if (event.type === 'ConductorJoined') this.enter(event.data);
    else if (event.type !== 'RingKeyModeChanged') this.retire(event.data, event.type);
  }

  /** Slots belong to the conductor, so one that restarts keeps them: its old session's end does not move them. */
  private retire(data: { conductor: string; session: string; replacedBy?: string }, type: string): void {
    const restarts = type === 'ConductorExpired' && data.replacedBy !== undefined;
    if (restarts || this.member(data.conductor)?.session !== data.session) return;
    for (const history of this.keys.values()) history.remove(data.conductor);
  }

  /** Both kinds of keys are always kept, so that a change of mode finds its tables. */
  private enter(join: ConductorJoined): void {
    const entries = join.kind === 'conductor' ? keyMembers(join) : new Map<string, KeyMember>();
    for (const [key, history] of this.keys) if (!entries.has(key)) history.remove(join.conductor);
    for (const [key, member] of entries) {
      const history = this.keys.get(key) ?? new KeyHistory(this.step);
      this.keys.set(key, history);
      history.set(member);
    }
    for (const { name, version } of join.drivers) {
      this.seen.set(name, (this.seen.get(name) ?? new Set<string>()).add(version));
    }
  }
}

function keyMembers(join: ConductorJoined): Map<string, KeyMember> {
  const entries = new Map<string, KeyMember>();
  for (const name of new Set(join.drivers.map(driver => driver.name))) {
    const versions = join.drivers
      .filter(driver => driver.name === name)
      .map(({ version, compatibleFrom }) => (compatibleFrom === undefined ? { version } : { version, compatibleFrom }));
    const member = { id: join.conductor, weight: join.weight, versions };
    entries.set(ringKey(join.group, name, 'group'), member);
    entries.set(ringKey(join.group, name, 'pinned'), member);
  }
  return entries;
}

function versionsOf(members: readonly LiveMember[], driver: string, recorded?: string): string[] {
  const offered = members
    .flatMap(member => member.drivers)
    .filter(offer => offer.name === driver && (recorded === undefined || canOperate(offer, recorded)));
  return [...new Set(offered.map(({ version }) => version))].sort(newestFirst);
}

/** By member, which never changes: a list of clusters asks it for each of them. */
const newest = new WeakMap<LiveMember, Map<string, string | undefined>>();

function newestOf(member: LiveMember, driver: string, recorded: string): string | undefined {
  const known = newest.get(member) ?? new Map<string, string | undefined>();
  newest.set(member, known);
  const key = `${driver} ${recorded}`;
  if (!known.has(key)) known.set(key, versionsOf([member], driver, recorded)[0]);
  return known.get(key);
}

function groupsOf(members: readonly LiveMember[]): string[] {
  const shown = new Map<string, string>();
  for (const { group } of members) if (!shown.has(foldGroup(group))) shown.set(foldGroup(group), group);
  return [...shown.values()].sort();
}

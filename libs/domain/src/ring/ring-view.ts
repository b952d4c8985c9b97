import { getOrCreate } from '../kernel/get-or-create.js';
import { omitUndefined } from '../kernel/json.js';
import { KeyHistory, type KeyMember, type TableStep } from './key-history.js';
import { foldGroup, keyToken, parseRingKey, ringKey, type KeyMode } from './ring-key.js';
import {
  evolveRing,
  initialRing,
  type ConductorJoined,
  type LiveMember,
  type RingEvent,
  type RingState,
} from './ring-state.js';
import { EMPTY_TABLE, nextTable, slotOf, type SlotTable } from './slot-table.js';
import { canOperate, newestFirst, oldestFirst } from './version-range.js';

/** The slots of a key that a conductor holds, for resources recorded with one version of the driver. */
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
  /** The names as given by the conductors, one per normalised group, sorted. */
  readonly groups: readonly string[];
  /** The versions of each group, newest first. */
  readonly versionsByGroup: Readonly<Record<string, readonly string[]>>;
}

interface Operator {
  readonly conductor: string;
  readonly version: string;
}

/**
 * Shows which conductors are alive and which slots they own, by the ring stream. Views with the same events return the same, whatever
 * they returned before. Results are snapshots of the current epoch.
 */
export class RingView {
  private state: RingState = initialRing;
  private readonly keys = new Map<string, KeyHistory>();
  private readonly tokens = new Map<string, string>();
  /** Every version of a driver that was ever offered, since resources may be recorded with any of them. */
  private readonly seen = new Map<string, Set<string>>();

  /** `step` computes the next table; a caller that evaluates the same histories repeatedly passes one that caches. */
  constructor(private readonly step: TableStep = nextTable) {}

  /** Applies the next event of the stream. An event at or below {@link epoch} is ignored; a gap throws RangeError. */
  apply(event: RingEvent, revision: number): void {
    if (revision <= this.epoch) return;
    if (revision !== this.epoch + 1)
      throw new RangeError(`ring event ${revision} after ${this.epoch}: events are missing`);
    this.moveSlots(event);
    this.state = evolveRing(this.state, event, revision);
  }

  /** The revision of the last applied event; -1 before the first. */
  get epoch(): number {
    return this.state.epoch;
  }

  get mode(): KeyMode {
    return this.state.mode;
  }

  get ringState(): RingState {
    return this.state;
  }

  isLive(session: string): boolean {
    for (const member of this.state.members.values()) if (member.session === session) return true;
    return false;
  }

  /** Returns the live member with this id, draining or not. */
  member(conductor: string): LiveMember | undefined {
    return this.state.members.get(conductor);
  }

  /** Returns the live members, with services and draining conductors. */
  members(): readonly LiveMember[] {
    return [...this.state.members.values()];
  }

  /** Returns the key of this group and driver in the current mode. */
  keyFor(group: string, driver: string): string {
    return ringKey(group, driver, this.mode);
  }

  /** Returns the token of a key in subjects. It is computed once. */
  tokenOf(key: string): string {
    return getOrCreate(this.tokens, key, () => keyToken(key));
  }

  /** Returns the keys of the current mode that have at least one member that is not draining, sorted. */
  ringKeys(): readonly string[] {
    const isOfMode = (key: string): boolean => (parseRingKey(key).group === undefined) === (this.mode === 'pinned');
    return [...this.keys].flatMap(([key, { size }]) => (size > 0 && isOfMode(key) ? [key] : [])).sort();
  }

  /** Returns the table of a key over the members that can operate this recorded version; empty when there is none. */
  tableFor(key: string, recordedVersion: string): SlotTable {
    return this.keys.get(key)?.tableFor(recordedVersion) ?? EMPTY_TABLE;
  }

  /** Returns the conductor that works on a resource; undefined when none can. */
  ownerOf(key: string, recordedVersion: string, resourceId: string): string | undefined {
    return this.tableFor(key, recordedVersion).owners[slotOf(resourceId)];
  }

  /**
   * Returns the slots of a conductor in the current mode, by key and recorded version. The recorded versions are all that were ever
   * offered of the driver, unless those in use are given. Holdings without slots are left out.
   */
  holdings(conductor: string, versionsInUse?: (driver: string) => Iterable<string>): readonly Holding[] {
    return this.ringKeys()
      .filter(key => this.keys.get(key)?.has(conductor))
      .flatMap(key => this.holdingsOf(conductor, key, versionsInUse));
  }

  /** Returns the drivers that live conductors offer, by name. Draining conductors offer nothing. */
  offered(): readonly OfferedByRing[] {
    const names = new Set(this.active().flatMap(member => member.drivers.map(driver => driver.name)));
    return [...names].sort().map(driver => {
      const offering = this.active().filter(member => member.drivers.some(({ name }) => name === driver));
      const groups = groupsOf(offering);
      const versionsByGroup = Object.fromEntries(groups.map(g => [g, versionsOf(offering.filter(isIn(g)), driver)]));
      return { driver, versions: versionsOf(offering, driver), groups, versionsByGroup };
    });
  }

  /**
   * Returns the versions, newest first, with which resources of this group can be created; with `recorded`, those that can operate
   * what this version built. While the ring is pinned, these are the versions of all groups.
   */
  versionsOffered(group: string, driver: string, recorded?: string): readonly string[] {
    const active = this.active();
    return versionsOf(this.mode === 'pinned' ? active : active.filter(isIn(group)), driver, recorded);
  }

  /** Returns the conductor that works on a resource, with the newest of its versions that can operate what `recorded` built. */
  operatorOf(group: string, driver: string, recorded: string, resourceId: string): Operator | undefined {
    const conductor = this.ownerOf(this.keyFor(group, driver), recorded, resourceId);
    const member = conductor === undefined ? undefined : this.member(conductor);
    const version = member && newestOf(member, driver, recorded);
    return member && version !== undefined ? { conductor: member.conductor, version } : undefined;
  }

  /**
   * Returns the newest version of the conductors of this group. While the ring is pinned, a group without conductors of its own gets the
   * newest version of all groups; others do not, since a conductor must exist for each resource after the pin. `recorded` as for
   * {@link versionsOffered}.
   */
  newestOffered(group: string, driver: string, recorded?: string): string | undefined {
    const own = this.active().filter(isIn(group));
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

  /** Moves slots. They belong to the conductor, so that one that restarts keeps them when its old session ends. */
  private moveSlots({ type, data }: RingEvent): void {
    if (type === 'RingKeyModeChanged') return;
    if (type === 'ConductorJoined') return this.enter(data);
    const isRestarted = type === 'ConductorExpired' && data.replacedBy !== undefined;
    if (isRestarted || this.member(data.conductor)?.session !== data.session) return;
    this.leave(data.conductor);
  }

  /** Removes a member from the histories of its keys. A history without members begins again when the next one enters. */
  private leave(conductor: string, isLeft: (key: string) => boolean = () => true): void {
    for (const [key, history] of this.keys) {
      if (!isLeft(key)) continue;
      history.remove(conductor);
      if (history.size === 0) this.keys.delete(key);
    }
  }

  /** Adds a member to the histories of its keys. Keys of both modes are always kept, so that a change of mode finds its tables. */
  private enter(join: ConductorJoined): void {
    const entries = join.kind === 'conductor' ? keyMembers(join) : new Map<string, KeyMember>();
    this.leave(join.conductor, key => !entries.has(key));
    for (const [key, member] of entries) getOrCreate(this.keys, key, () => new KeyHistory(this.step)).set(member);
    for (const { name, version } of join.drivers) getOrCreate(this.seen, name, () => new Set<string>()).add(version);
  }
}

const isIn = (group: string) => {
  const folded = foldGroup(group);
  return (member: LiveMember): boolean => foldGroup(member.group) === folded;
};

function keyMembers(join: ConductorJoined): Map<string, KeyMember> {
  const entries = new Map<string, KeyMember>();
  for (const name of new Set(join.drivers.map(driver => driver.name))) {
    const versions = join.drivers
      .filter(driver => driver.name === name)
      .map(({ version, compatibleFrom }) => ({ version, ...omitUndefined({ compatibleFrom }) }));
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

/** The newest versions by member, which never changes: a list of clusters needs them for each cluster. */
const newest = new WeakMap<LiveMember, Map<string, string | undefined>>();

function newestOf(member: LiveMember, driver: string, recorded: string): string | undefined {
  const known = getOrCreate(newest, member, () => new Map<string, string | undefined>());
  const key = `${driver} ${recorded}`;
  if (!known.has(key)) known.set(key, versionsOf([member], driver, recorded)[0]);
  return known.get(key);
}

const groupsOf = (members: readonly LiveMember[]): string[] =>
  [...new Map(members.toReversed().map(({ group }) => [foldGroup(group), group])).values()].sort();

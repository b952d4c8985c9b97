import type { Unit, UnitKind } from '@stave/driver-sdk';

/** What is compared of a listed unit. */
export type ListedUnit = Pick<Unit, 'generation' | 'state' | 'exitCode' | 'restarts' | 'health' | 'containersUnknown'>;

/**
 * A resource with its first unit in the last list. The unit itself is not kept, so that it need not outlive the check. Nearly every resource has
 * one unit, so that an array is made for the others only.
 */
interface Listed {
  readonly resourceId: string;
  list: number;
  generation: number;
  state: Unit['state'];
  exitCode: number | undefined;
  restarts: number | undefined;
  health: Unit['health'];
  containersUnknown: boolean | undefined;
  others: ListedUnit[] | undefined;
}

/** How a list differs from the one before. */
interface Difference {
  readonly before: number;
  readonly gone: number;
  readonly hasNewHost: boolean;
}

/**
 * The units of one kind in the last list of an engine or cloud, by resource. It is kept from list to list, so that a list of 100,000 units in
 * which little changed leaves little to the garbage collector.
 */
export class ListedUnits {
  private readonly byResource = new Map<string, Listed>();
  /** The resources in the order of the last list. The next list nearly always has the same order, so that few must be looked up. */
  private order: Listed[] = [];
  private lists = 0;
  private hosts: ReadonlySet<string> = new Set();
  private difference: Difference | undefined;
  /** What changed since the last call of `takeChanges`; undefined: anything may have. */
  private changed: Set<string> | undefined;

  constructor(private readonly kind: UnitKind) {}

  take(units: readonly Unit[]): void {
    const { byResource, lists } = this;
    const before = byResource.size;
    this.lists += 1;
    let count = 0;
    for (const unit of units) {
      if (unit.kind !== this.kind) continue;
      const first = this.asFirstOfResource(unit, this.order[count]);
      if (first) this.order[count++] = first;
    }
    this.order.length = count;
    const gone = byResource.size - count;
    if (gone > 0) this.removeGone();
    const hasNewHost = this.kind === 'container' && this.takeHosts(units);
    this.difference = lists === 0 ? undefined : { before, gone, hasNewHost };
  }

  /** Forgets all lists: the next one has nothing to be compared with. */
  clear(): void {
    this.byResource.clear();
    this.order = [];
    this.lists = 0;
    this.hosts = new Set();
    this.difference = undefined;
    this.changed = undefined;
  }

  /** Returns the resources that were listed otherwise than before since the last call; undefined where it may be any. */
  takeChanges(): ReadonlySet<string> | undefined {
    const { changed } = this;
    this.changed = new Set();
    return changed;
  }

  has(resourceId: string): boolean {
    return this.byResource.has(resourceId);
  }

  /** Returns the unit of the resource with this generation. */
  find(resourceId: string, generation: number): ListedUnit | undefined {
    const listed = this.byResource.get(resourceId);
    if (listed === undefined || listed.generation === generation) return listed;
    return listed.others?.find(other => other.generation === generation);
  }

  /** Returns whether a unit of this kind on the node would be in the list: nodes have no node, containers need one that runs and answers. */
  isReadable(nodeId: string | undefined): boolean {
    return this.kind !== 'container' || this.hosts.has(nodeId ?? '');
  }

  /**
   * Returns whether more than this share of the resources of the list before may be absent. The first list, and that of a node, has nothing to be
   * compared with.
   */
  mayHaveLost(share: number): boolean {
    const { difference } = this;
    return !difference || difference.hasNewHost || difference.gone > share * difference.before;
  }

  /** Takes the unit. Returns its resource, unless the list has another unit of it before. `guess`: what may be its resource. */
  private asFirstOfResource(unit: Unit, guess: Listed | undefined): Listed | undefined {
    const { byResource, lists, changed } = this;
    const { resourceId } = unit;
    const known = guess?.resourceId === resourceId ? guess : byResource.get(resourceId);
    if (known?.list === lists) {
      (known.others ??= []).push(unit);
      changed?.add(resourceId);
      return undefined;
    }
    if (!known) {
      const first = newListed(unit, lists);
      byResource.set(resourceId, first);
      changed?.add(resourceId);
      return first;
    }
    if (!isSame(known, unit)) changed?.add(resourceId);
    replace(known, unit, lists);
    return known;
  }

  private removeGone(): void {
    for (const [id, { list }] of this.byResource) {
      if (list === this.lists) continue;
      this.byResource.delete(id);
      this.changed?.add(id);
    }
  }

  /** Returns whether the containers of a node are in the list that were not in the list before. */
  private takeHosts(units: readonly Unit[]): boolean {
    const { hosts } = this;
    const now = new Set<string>();
    for (const { kind, state, containersUnknown, resourceId } of units)
      if (kind === 'node' && state === 'running' && !containersUnknown) now.add(resourceId);
    this.hosts = now;
    let isNew = false;
    for (const host of now) isNew ||= !hosts.has(host);
    // containers on a node that is not listed any more, or again, are compared otherwise than before
    if (isNew || now.size !== hosts.size) this.changed = undefined;
    return isNew;
  }
}

const isSame = (listed: Listed, unit: Unit): boolean =>
  listed.others === undefined &&
  listed.generation === unit.generation &&
  listed.state === unit.state &&
  listed.exitCode === unit.exitCode &&
  listed.restarts === unit.restarts &&
  listed.health === unit.health &&
  listed.containersUnknown === unit.containersUnknown;

const newListed = (unit: Unit, list: number): Listed => {
  const { resourceId, generation, state, exitCode, restarts, health, containersUnknown } = unit;
  return { resourceId, list, generation, state, exitCode, restarts, health, containersUnknown, others: undefined };
};

function replace(listed: Listed, unit: Unit, list: number): void {
  listed.list = list;
  listed.generation = unit.generation;
  listed.state = unit.state;
  listed.exitCode = unit.exitCode;
  listed.restarts = unit.restarts;
  listed.health = unit.health;
  listed.containersUnknown = unit.containersUnknown;
  listed.others = undefined;
}

import type { Unit, UnitKind } from '@stave/driver-sdk';

/** What is compared of a listed unit. */
export type ListedUnit = Pick<Unit, 'generation' | 'state' | 'exitCode' | 'restarts' | 'health' | 'containersUnknown'>;

/**
 * A resource with its first unit in the last list. The unit itself is not kept, so that it need not outlive the check. Nearly every resource has
 * one unit, so that an array is made for the others only.
 */
interface Listed {
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
  private lists = 0;
  private hosts: ReadonlySet<string> = new Set();
  private difference: Difference | undefined;

  constructor(private readonly kind: UnitKind) {}

  take(units: readonly Unit[]): void {
    const { byResource, lists } = this;
    const before = byResource.size;
    this.lists += 1;
    let count = 0;
    for (const unit of units) if (unit.kind === this.kind && this.isFirstOfResource(unit)) count += 1;
    const gone = byResource.size - count;
    if (gone > 0) for (const [id, { list }] of byResource) if (list !== this.lists) byResource.delete(id);
    const hasNewHost = this.kind === 'container' && this.takeHosts(units);
    this.difference = lists === 0 ? undefined : { before, gone, hasNewHost };
  }

  /** Forgets all lists: the next one has nothing to be compared with. */
  clear(): void {
    this.byResource.clear();
    this.lists = 0;
    this.hosts = new Set();
    this.difference = undefined;
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

  private isFirstOfResource(unit: Unit): boolean {
    const { byResource, lists } = this;
    const known = byResource.get(unit.resourceId);
    if (known?.list === lists) {
      (known.others ??= []).push(unit);
      return false;
    }
    if (known) replace(known, unit, lists);
    else byResource.set(unit.resourceId, newListed(unit, lists));
    return true;
  }

  /** Returns whether the containers of a node are in the list that were not in the list before. */
  private takeHosts(units: readonly Unit[]): boolean {
    const { hosts } = this;
    const now = new Set<string>();
    for (const { kind, state, containersUnknown, resourceId } of units)
      if (kind === 'node' && state === 'running' && !containersUnknown) now.add(resourceId);
    this.hosts = now;
    for (const host of now) if (!hosts.has(host)) return true;
    return false;
  }
}

const newListed = (unit: Unit, list: number): Listed => {
  const { generation, state, exitCode, restarts, health, containersUnknown } = unit;
  return { list, generation, state, exitCode, restarts, health, containersUnknown, others: undefined };
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

import { getOrCreate } from '@stave/domain';
import type { Unit, UnitKind } from '@stave/driver-sdk';

/** A resource with units in the last list. Nearly every resource has one unit, so that an array is made for the others only. */
interface Listed {
  list: number;
  unit: Unit;
  others: Unit[] | undefined;
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
  find(resourceId: string, generation: number): Unit | undefined {
    const listed = this.byResource.get(resourceId);
    if (listed === undefined || listed.unit.generation === generation) return listed?.unit;
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
    const { lists } = this;
    const listed = getOrCreate(this.byResource, unit.resourceId, () => ({ list: 0, unit, others: undefined }));
    if (listed.list === lists) {
      (listed.others ??= []).push(unit);
      return false;
    }
    listed.list = lists;
    listed.unit = unit;
    listed.others = undefined;
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

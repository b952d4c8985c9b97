import type { UnitKind } from '@stave/driver-sdk';
import type { FakeUnit, UnitDraft } from './fake-unit.js';

type Index = Map<string, Map<string, FakeUnit>>;

/** All units in memory, with indexes so that the cost of a look-up does not depend on the number of units. */
export class UnitTable {
  private readonly byId = new Map<string, FakeUnit>();
  /** Nearly every resource has one unit, for which an array takes a tenth of the memory of a Map. */
  private readonly byResource = new Map<string, FakeUnit[]>();
  private readonly byCluster: Index = new Map();
  private readonly byInstallation: Index = new Map();
  private readonly byHost: Index = new Map();
  private readonly byClaim: Index = new Map();
  private containers = 0;

  get(infrastructureId: string): FakeUnit | undefined {
    return this.byId.get(infrastructureId);
  }

  get hasContainers(): boolean {
    return this.containers > 0;
  }

  all(): readonly FakeUnit[] {
    return [...this.byId.values()];
  }

  /** Returns the units of one resource, the oldest first. */
  ofResource(installation: string, kind: UnitKind, resourceId: string): FakeUnit[] {
    return (this.byResource.get(keyOf(installation, kind, resourceId)) ?? []).filter(isSeen);
  }

  list(installation: string, clusterId?: string): FakeUnit[] {
    const [index, key] =
      clusterId === undefined ? [this.byInstallation, installation] : [this.byCluster, keyOf(installation, clusterId)];
    const seen: FakeUnit[] = [];
    for (const unit of index.get(key)?.values() ?? []) if (isSeen(unit)) seen.push(unit);
    return seen;
  }

  onHost(infrastructureId: string): FakeUnit[] {
    return valuesOf(this.byHost, infrastructureId);
  }

  containersOn(host: FakeUnit): number {
    return this.onHost(host.infrastructureId).filter(({ kind }) => kind === 'container').length;
  }

  /** Returns the units that hold an address, a port, or a network or volume that they use. */
  holding(claim: string): FakeUnit[] {
    return valuesOf(this.byClaim, claim);
  }

  countNodes({ installation, clusterId, zone }: UnitDraft, perZone: boolean): number {
    const counts = (unit: FakeUnit): boolean => unit.kind === 'node' && (!perZone || unit.zone === zone);
    return this.list(installation, clusterId).filter(counts).length;
  }

  put(unit: FakeUnit): void {
    if (unit.kind === 'container' && !this.byId.has(unit.infrastructureId)) this.containers += 1;
    this.byId.set(unit.infrastructureId, unit);
    this.putOfResource(unit);
    for (const [index, key] of this.indexKeys(unit)) {
      const units = index.get(key) ?? new Map<string, FakeUnit>();
      index.set(key, units.set(unit.infrastructureId, unit));
    }
  }

  delete(infrastructureId: string): void {
    const unit = this.byId.get(infrastructureId);
    if (!unit) return;
    this.byId.delete(infrastructureId);
    if (unit.kind === 'container') this.containers -= 1;
    this.deleteOfResource(unit);
    for (const [index, key] of this.indexKeys(unit)) {
      const units = index.get(key);
      units?.delete(infrastructureId);
      if (units?.size === 0) index.delete(key);
    }
  }

  private putOfResource(unit: FakeUnit): void {
    const key = keyOf(unit.installation, unit.kind, unit.resourceId);
    const units = this.byResource.get(key);
    if (!units) return void this.byResource.set(key, [unit]);
    const known = units.findIndex(({ infrastructureId }) => infrastructureId === unit.infrastructureId);
    if (known < 0) units.push(unit);
    else units[known] = unit;
  }

  private deleteOfResource({ installation, kind, resourceId, infrastructureId: id }: FakeUnit): void {
    const key = keyOf(installation, kind, resourceId);
    const left = (this.byResource.get(key) ?? []).filter(unit => unit.infrastructureId !== id);
    if (left.length === 0) this.byResource.delete(key);
    else this.byResource.set(key, left);
  }

  private indexKeys(unit: FakeUnit): [Index, string][] {
    const keys: [Index, string][] = [
      [this.byCluster, keyOf(unit.installation, unit.clusterId)],
      [this.byInstallation, unit.installation],
    ];
    if (unit.hostUnit !== undefined) keys.push([this.byHost, unit.hostUnit]);
    for (const claim of unit.claims ?? []) keys.push([this.byClaim, claim]);
    return keys;
  }
}

const isSeen = ({ lost }: FakeUnit): boolean => lost !== true;

function keyOf(...parts: string[]): string {
  return parts.join('\n');
}

function valuesOf(index: Index, key: string): FakeUnit[] {
  return [...(index.get(key)?.values() ?? [])];
}

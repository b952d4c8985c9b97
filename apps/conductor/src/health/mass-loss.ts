import type { ExpectedUnit } from '@stave/contracts';
import type { SuspectedLoss } from '@stave/domain';
import type { Unit, UnitKind } from '@stave/driver-sdk';
import { readableNodes } from './compare-units.js';

export interface MassLossTerms {
  /** The share of the units of a kind seen before above which their absence from one list is suspected. */
  readonly share: number;
  /** The least number of absent units that is suspected. */
  readonly min: number;
}

interface Round {
  /** The units of the kind in the slots of the conductor, requested before the list. */
  readonly expected: readonly ExpectedUnit[];
  readonly units: readonly Unit[];
  /** The identity of the engine or cloud at the list. */
  readonly engine: string | undefined;
  /** Requests the expected units of the kind in the slots of all conductors. Called only where a loss may be one of many. */
  readonly everywhere: () => Promise<readonly ExpectedUnit[]>;
}

/** What one list shows of the kind. */
interface Sight {
  readonly present: ReadonlySet<string>;
  /** The nodes whose containers are in the list; undefined for nodes. */
  readonly hosts: ReadonlySet<string> | undefined;
}

const wasSeen = ({ seen }: ExpectedUnit): boolean => seen.state !== 'missing';

/**
 * Decides, for the lists of one engine or cloud, whether the absence of its nodes or of its containers is suspect: too many of those
 * seen before are absent from one list, or the engine is another one. Stopped and failed units are in the list. Containers on nodes
 * whose containers are not listed are not counted: they share the fate of their node. A unit is suspect until it is seen again, or
 * until its loss is accepted.
 */
export class MassLoss {
  private suspects = new Map<string, SuspectedLoss>();
  private absent: ReadonlySet<string> = new Set();
  private before: Sight | undefined;

  constructor(
    private readonly kind: UnitKind,
    private readonly terms: MassLossTerms,
  ) {}

  /** Returns the number of missing units whose loss is suspected. */
  get size(): number {
    return this.suspects.size;
  }

  /** Returns why the absence of this unit is suspected; undefined where it is not. */
  suspicionOf(resourceId: string): SuspectedLoss | undefined {
    return this.suspects.get(resourceId);
  }

  /** Takes one list of units. A rejection of `everywhere` leaves everything as it was. */
  async take({ expected, units, engine, everywhere }: Round): Promise<void> {
    if (expected.length === 0) return this.forget();
    const sight = this.sightOf(units);
    const absent = expected.filter(unit => isAbsent(unit, sight));
    const isNew = absent.some(unit => wasSeen(unit) && !this.absent.has(unit.resourceId));
    const isMass = isNew && this.hasShrunk(sight) && this.isMass(await everywhere(), sight, engine);
    this.absent = new Set(absent.map(({ resourceId }) => resourceId));
    this.before = sight;
    const suspects = new Map<string, SuspectedLoss>();
    for (const unit of expected) {
      const why = this.suspicion(unit, sight, engine, isMass);
      if (why !== undefined) suspects.set(unit.resourceId, why);
    }
    this.suspects = suspects;
  }

  /** Without expected units nothing is absent, and the next list has nothing to be compared with. */
  private forget(): void {
    this.suspects = new Map();
    this.absent = new Set();
    this.before = undefined;
  }

  private sightOf(units: readonly Unit[]): Sight {
    const present = new Set<string>();
    for (const unit of units) if (unit.kind === this.kind) present.add(unit.resourceId);
    return { present, hosts: this.kind === 'container' ? readableNodes(units) : undefined };
  }

  private suspicion(
    unit: ExpectedUnit,
    sight: Sight,
    engine: string | undefined,
    isMass: boolean,
  ): SuspectedLoss | undefined {
    if (sight.present.has(unit.resourceId)) return undefined;
    const known = this.suspects.get(unit.resourceId);
    if (!wasSeen(unit)) return unit.suspected ? (known ?? 'mass-loss') : undefined;
    if (known !== undefined || !isAbsent(unit, sight)) return known;
    return isOfAnother(unit, engine) ? 'identity-changed' : isMass ? 'mass-loss' : undefined;
  }

  /** Returns whether a large share may be absent. The first list, and that of a node, has nothing to be compared with. */
  private hasShrunk({ present, hosts }: Sight): boolean {
    const { before } = this;
    if (!before) return true;
    for (const host of hosts ?? []) if (!before.hosts?.has(host)) return true;
    let gone = 0;
    for (const id of before.present) if (!present.has(id)) gone += 1;
    return gone > this.terms.share * before.present.size;
  }

  private isMass(all: readonly ExpectedUnit[], sight: Sight, engine: string | undefined): boolean {
    const before = all.filter(unit => wasSeen(unit) && isCounted(unit, sight) && !isOfAnother(unit, engine));
    const gone = before.filter(({ resourceId }) => !sight.present.has(resourceId)).length;
    return gone >= this.terms.min && gone > this.terms.share * before.length;
  }
}

const isCounted = ({ nodeId }: ExpectedUnit, { hosts }: Sight): boolean =>
  hosts === undefined || hosts.has(nodeId ?? '');

const isAbsent = (unit: ExpectedUnit, sight: Sight): boolean =>
  isCounted(unit, sight) && !sight.present.has(unit.resourceId);

const isOfAnother = (unit: ExpectedUnit, engine: string | undefined): boolean =>
  unit.engine !== undefined && engine !== undefined && unit.engine !== engine;

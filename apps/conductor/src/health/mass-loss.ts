import type { ExpectedUnit } from '@stave/contracts';
import type { SuspectedLoss } from '@stave/domain';
import type { ListedUnits } from './listed-units.js';

export interface MassLossTerms {
  /** The share of the units of a kind seen before above which their absence from one list is suspected. */
  readonly share: number;
  /** The least number of absent units that is suspected. */
  readonly min: number;
}

type Engines = readonly string[] | undefined;

interface Round {
  /** The units of the kind in the slots of the conductor, requested before the list. */
  readonly expected: readonly ExpectedUnit[];
  /** The identities of the engines or clouds at the list; undefined where they are not known. */
  readonly engines: Engines;
  /** Requests the expected units of the kind in the slots of all conductors. Called only where a loss may be one of many. */
  readonly everywhere: () => Promise<readonly ExpectedUnit[]>;
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
  /** The last request of all expected units failed: what it was made for is to be decided by the next list. */
  private isUndecided = false;

  /** `listed`: the units of the kind in the last list. */
  constructor(
    private readonly listed: ListedUnits,
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

  /** Decides about the units that are absent from the last list. A rejection of `everywhere` leaves every suspicion as it was. */
  async take({ expected, engines, everywhere }: Round): Promise<void> {
    const missing = expected.filter(({ resourceId }) => !this.listed.has(resourceId));
    const absent = missing.filter(unit => this.isCounted(unit));
    const isNew = absent.some(unit => wasSeen(unit) && !this.absent.has(unit.resourceId));
    const isMass = isNew && this.mayBeMass() && (await this.isMass(everywhere, engines));
    this.absent = new Set(absent.map(({ resourceId }) => resourceId));
    const suspects = new Map<string, SuspectedLoss>();
    for (const unit of missing) {
      const why = this.suspicion(unit, engines, isMass);
      if (why !== undefined) suspects.set(unit.resourceId, why);
    }
    this.suspects = suspects;
  }

  private suspicion(unit: ExpectedUnit, engines: Engines, isMass: boolean): SuspectedLoss | undefined {
    const known = this.suspects.get(unit.resourceId);
    if (!wasSeen(unit)) return unit.suspected ? (known ?? 'mass-loss') : undefined;
    if (known !== undefined || !this.isCounted(unit)) return known;
    return isOfAnother(unit, engines) ? 'identity-changed' : isMass ? 'mass-loss' : undefined;
  }

  private mayBeMass(): boolean {
    return this.isUndecided || this.listed.mayHaveLost(this.terms.share);
  }

  private async isMass(everywhere: Round['everywhere'], engines: Engines): Promise<boolean> {
    this.isUndecided = true;
    const all = await everywhere();
    this.isUndecided = false;
    const before = all.filter(unit => wasSeen(unit) && this.isCounted(unit) && !isOfAnother(unit, engines));
    const gone = before.filter(({ resourceId }) => !this.listed.has(resourceId)).length;
    return gone >= this.terms.min && gone > this.terms.share * before.length;
  }

  private isCounted({ nodeId }: ExpectedUnit): boolean {
    return this.listed.isReadable(nodeId);
  }
}

const isOfAnother = ({ engine }: ExpectedUnit, engines: Engines): boolean =>
  engine !== undefined && engines !== undefined && !engines.includes(engine);

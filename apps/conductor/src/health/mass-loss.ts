import type { ExpectedUnit } from '@stave/contracts';
import type { SuspectedLoss } from '@stave/domain';
import type { Unit } from '@stave/driver-sdk';

export interface MassLossTerms {
  /** The share of the nodes seen before above which their absence from one list is suspected. */
  readonly share: number;
  /** The least number of absent nodes that is suspected. */
  readonly min: number;
}

interface Round {
  /** The nodes in the slots of the conductor, requested before the list. */
  readonly expected: readonly ExpectedUnit[];
  readonly units: readonly Unit[];
  /** The identity of the engine or cloud at the list. */
  readonly engine: string | undefined;
  /** Requests the expected nodes in the slots of all conductors. Called only where a loss may be one of many. */
  readonly everywhere: () => Promise<readonly ExpectedUnit[]>;
}

const wasSeen = ({ seen }: ExpectedUnit): boolean => seen.state === 'running';

/**
 * Decides, for the lists of one engine or cloud, whether the absence of nodes is suspect: too many of those seen before are absent from one
 * list, or the engine is another one. Stopped and failed nodes are in the list. A node is suspect until it is seen again.
 */
export class MassLoss {
  private suspects = new Map<string, SuspectedLoss>();
  private absent: ReadonlySet<string> = new Set();
  private listed: number | undefined;

  constructor(private readonly terms: MassLossTerms) {}

  /** Returns the number of missing nodes whose loss is suspected. */
  get size(): number {
    return this.suspects.size;
  }

  /** Returns why the absence of this node is suspected; undefined where it is not. */
  suspicionOf(resourceId: string): SuspectedLoss | undefined {
    return this.suspects.get(resourceId);
  }

  /** Takes one list of units. A rejection of `everywhere` leaves everything as it was. */
  async take({ expected, units, engine, everywhere }: Round): Promise<void> {
    const present = new Set(units.flatMap(unit => (unit.kind === 'node' ? [unit.resourceId] : [])));
    const absent = expected.filter(unit => !present.has(unit.resourceId));
    const isNew = absent.some(unit => wasSeen(unit) && !this.absent.has(unit.resourceId));
    const isMass = isNew && this.hasShrunk(present.size) && this.isMass(await everywhere(), present, engine);
    this.absent = new Set(absent.map(({ resourceId }) => resourceId));
    this.listed = present.size;
    this.suspects = new Map(
      absent.flatMap(unit => {
        const isOther = isOfAnother(unit, engine);
        const known = this.suspects.get(unit.resourceId);
        const why = known ?? (isOther ? 'identity-changed' : isMass && wasSeen(unit) ? 'mass-loss' : undefined);
        return why === undefined ? [] : [[unit.resourceId, why] as const];
      }),
    );
  }

  /** The first list has nothing to be compared with. */
  private hasShrunk(present: number): boolean {
    return this.listed === undefined || this.listed - present > this.terms.share * this.listed;
  }

  private isMass(all: readonly ExpectedUnit[], present: ReadonlySet<string>, engine: string | undefined): boolean {
    const before = all.filter(unit => wasSeen(unit) && !isOfAnother(unit, engine));
    const gone = before.filter(({ resourceId }) => !present.has(resourceId)).length;
    return gone >= this.terms.min && gone > this.terms.share * before.length;
  }
}

const isOfAnother = (unit: ExpectedUnit, engine: string | undefined): boolean =>
  unit.engine !== undefined && engine !== undefined && unit.engine !== engine;

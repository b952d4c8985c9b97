import { getOrCreate } from '@stave/domain';

/** A window from this length on needs no more samples than conductors take anyway. */
const USUAL_SECONDS = 50;

/** The windows that need more samples than usual, by cluster. */
export class ShortWindows {
  private readonly bySet = new Map<string, string>();
  private readonly byCluster = new Map<string, Map<string, number>>();

  /** Undefined: no window of the set matters. */
  put(setId: string, clusterId: string, windowSeconds: number | undefined): void {
    const before = this.bySet.get(setId);
    if (before !== undefined) this.remove(setId, before);
    if (windowSeconds === undefined || windowSeconds >= USUAL_SECONDS) return;
    this.bySet.set(setId, clusterId);
    getOrCreate(this.byCluster, clusterId, () => new Map<string, number>()).set(setId, windowSeconds);
  }

  /** Returns the shortest window in these clusters; undefined where none is short. */
  shortest(isAsked: (clusterId: string) => boolean): number | undefined {
    let shortest = Infinity;
    for (const [clusterId, windows] of this.byCluster)
      if (isAsked(clusterId)) for (const seconds of windows.values()) shortest = Math.min(shortest, seconds);
    return shortest === Infinity ? undefined : shortest;
  }

  private remove(setId: string, clusterId: string): void {
    this.bySet.delete(setId);
    const windows = this.byCluster.get(clusterId);
    windows?.delete(setId);
    if (windows?.size === 0) this.byCluster.delete(clusterId);
  }
}

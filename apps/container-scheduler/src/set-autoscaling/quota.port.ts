/** How much more the quota of a project allows. */
export interface QuotaPort {
  containersLeft(projectId: string): number;
}

export const QUOTA = Symbol('quota');

/** Projects without quotas. */
export const UNLIMITED: QuotaPort = { containersLeft: () => Infinity };

import { omitUndefined } from '../kernel/json.js';

/** A removal that waits for its release, in the state of what waits. */
export interface AwaitedRelease {
  readonly since: string;
  readonly until: string;
  readonly onTimeout: 'proceed' | 'abort';
  /** Where the release is asked for. */
  readonly url?: string;
  /** The host of the hook was called. */
  readonly isRequested?: true;
  /** The host took the request. */
  readonly delivered?: boolean;
}

type Delivery = 'pending' | 'delivered' | 'failed';

const deliveryOf = ({ url, isRequested, delivered }: AwaitedRelease): Delivery | undefined => {
  if (url === undefined) return undefined;
  if (!isRequested) return 'pending';
  return delivered ? 'delivered' : 'failed';
};

/** Returns what clients see of a removal that waits: since when, until when and what follows then, and whether the host of the hook was asked. */
export const shownRelease = (release: AwaitedRelease) => ({
  since: release.since,
  until: release.until,
  onTimeout: release.onTimeout,
  ...omitUndefined({ url: release.url, delivery: deliveryOf(release) }),
});

/** Returns the status that clients see: what waits for its release is in service, and leaves for clients. */
export const statusUntilReleased = <S extends string>({
  release,
  status,
}: {
  readonly release?: AwaitedRelease | undefined;
  readonly status: S;
}): S | 'DELETING' => (release ? 'DELETING' : status);

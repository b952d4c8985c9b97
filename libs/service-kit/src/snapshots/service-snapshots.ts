import type { ServiceName } from '@stave/contracts';
import type { Logger } from '@stave/platform';
import type { Feed } from '../events/feed.js';
import { capture, fits, requireWhole, restore, type Folded, type SavedFields } from './snapshot-fields.js';
import type { SnapshotFile } from './snapshot-file.js';

export interface ServiceSnapshotsOptions {
  readonly service: ServiceName;
  readonly feed: Feed;
  readonly log: Logger;
  readonly snapshotFile?: SnapshotFile;
}

/** Everything that a service folds from its feed, so that a start restores it from the snapshot file instead of replaying the log. */
export class ServiceSnapshots {
  private readonly roots = new Map<string, Folded>();

  constructor(private readonly options: ServiceSnapshotsOptions) {}

  /** Declares folded state. Throws RangeError where a part of it is declared neither as folded nor as not folded. */
  add(name: string, folded: Folded): void {
    requireWhole(folded, name);
    this.roots.set(`${this.options.service}/${name}`, folded);
  }

  /** Restores the last snapshot if all of it fits; the feed then continues after it. Returns true when it did. */
  restore(): boolean {
    const { snapshotFile, service, feed, log } = this.options;
    const saved = snapshotFile?.take(service, {
      position: () => feed.position,
      capture: () => ({ position: feed.position, lastEvent: feed.lastEvent, fields: this.capture() }),
    });
    if (!saved || saved.position < 0) return false;
    if ([...this.roots].some(([path, folded]) => !fits(folded, path, saved.fields))) {
      log.warn('the snapshot has other fields than this release; the complete log is replayed');
      return false;
    }
    for (const [path, folded] of this.roots) restore(folded, path, saved.fields);
    feed.resume(saved);
    return true;
  }

  private capture(): SavedFields {
    return new Map([...this.roots].flatMap(([path, folded]) => [...capture(folded, path)]));
  }
}

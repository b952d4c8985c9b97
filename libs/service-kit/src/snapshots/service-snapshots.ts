import { Inject, Injectable } from '@nestjs/common';
import { SERVICE_OPTIONS, type ServiceOptions } from '../composition/ports.js';
import { Feed } from '../events/feed.js';
import { capture, fits, requireComplete, restore, type Folded, type SavedFields } from './snapshot-fields.js';

/** Everything that a service folds from its feed, so that a start restores it from the snapshot file instead of replaying the log. */
@Injectable()
export class ServiceSnapshots {
  private readonly roots = new Map<string, Folded>();

  constructor(
    @Inject(SERVICE_OPTIONS) private readonly options: Pick<ServiceOptions, 'service' | 'log' | 'snapshotFile'>,
    private readonly feed: Feed,
  ) {}

  /** Declares folded state. Throws RangeError where a part of it is declared neither as folded nor as not folded. */
  add(name: string, folded: Folded): void {
    requireComplete(folded, name);
    this.roots.set(`${this.options.service}/${name}`, folded);
  }

  /** Restores the last snapshot if all of it fits; the feed then continues after it. Returns true when it did. */
  restore(): boolean {
    const { feed } = this;
    const { snapshotFile, service, log } = this.options;
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

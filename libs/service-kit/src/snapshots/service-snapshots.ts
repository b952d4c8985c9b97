import { Inject, Injectable } from '@nestjs/common';
import { DocumentStoreUnavailableError } from '@stave/platform';
import { SERVICE_OPTIONS, type ServiceOptions } from '../composition/ports.js';
import { Feed } from '../events/feed.js';
import { ReadModels } from '../read-models/read-models.js';
import { capture, fits, requireComplete, restore, type Folded } from './snapshot-fields.js';
import type { ServiceFolds } from './snapshot-file.js';

/** Milliseconds for which a start waits for the document store. */
const STORE_CHECK_MS = 2_000;

/** Everything that a service folds from its feed, so that a start restores it from the snapshot file instead of replaying the log. */
@Injectable()
export class ServiceSnapshots {
  private readonly roots = new Map<string, Folded>();

  constructor(
    @Inject(SERVICE_OPTIONS) private readonly options: Pick<ServiceOptions, 'service' | 'log' | 'snapshotFile'>,
    private readonly feed: Feed,
    private readonly readModels: ReadModels,
  ) {}

  /** Declares folded state. Throws RangeError where a part of it is declared neither as folded nor as not folded. */
  add(name: string, folded: Folded): void {
    requireComplete(folded, name);
    this.roots.set(`${this.options.service}/${name}`, folded);
  }

  /**
   * Restores the last snapshot if all of it fits; the feed then continues after it. Resolves to true when it did. To be called when the read
   * models are open, and before the feed starts.
   */
  async restore(): Promise<boolean> {
    const { feed, options } = this;
    const isRestored = await this.restoreSaved();
    const after = feed.position;
    feed.onReplayed(() => options.log.info({ after, events: feed.eventCount }, 'the log is folded'));
    return isRestored;
  }

  private async restoreSaved(): Promise<boolean> {
    const { feed } = this;
    const { snapshotFile, service, log } = this.options;
    const saved = snapshotFile?.take(service, {
      handled: () => feed.eventCount,
      // states without the events that this release cannot read must not outlive the process
      capture: () => (feed.newer.found ? undefined : this.capture()),
    });
    if (!saved?.last) return false;
    const reason = await this.unfit(saved);
    if (reason !== undefined) {
      log.warn({ reason }, 'the snapshot cannot be used; the complete log is replayed');
      return false;
    }
    for (const [path, folded] of this.roots) restore(folded, path, saved.fields);
    this.readModels.resume(saved.last);
    feed.resume(saved.last);
    return true;
  }

  private async unfit({ installation, forgottenUpTo, fields }: ServiceFolds): Promise<string | undefined> {
    if (installation !== this.readModels.installation) return 'it is of another installation';
    if ([...this.roots].some(([path, folded]) => !fits(folded, path, fields)))
      return 'it has other fields than this release';
    return forgottenUpTo < 0 ? undefined : this.unfitForDocuments(forgottenUpTo);
  }

  /** Nothing in memory would remove the documents of what ended after older documents were stored. */
  private async unfitForDocuments(forgottenUpTo: number): Promise<string | undefined> {
    try {
      await this.readModels.requireStore(STORE_CHECK_MS);
      if ((await this.readModels.shownUpTo()) >= forgottenUpTo) return undefined;
      return 'the stored read models are older: they show less than what the snapshot has already forgotten';
    } catch (error) {
      if (error instanceof DocumentStoreUnavailableError)
        return 'the stored read models are away, and may be older than the snapshot';
      throw error;
    }
  }

  private capture(): ServiceFolds {
    const { feed, readModels, roots } = this;
    const { installation, forgottenUpTo } = readModels;
    const fields = new Map([...roots].flatMap(([path, folded]) => [...capture(folded, path)]));
    return { last: feed.last, installation, forgottenUpTo, fields };
  }
}

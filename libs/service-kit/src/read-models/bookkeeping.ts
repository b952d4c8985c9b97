import type { DocumentStore } from '@stave/platform';
import { ModelCatalog } from './model-catalog.js';
import type { ServedCollection } from './served-collection.js';
import type { SourceLog } from './source-log.js';
import { NOWHERE, StoredPositions } from './stored-positions.js';

type Models = ReadonlyMap<string, { readonly reader: ServedCollection }>;

/** What is stored about the read models that were made from one log. */
export class Bookkeeping {
  private constructor(
    readonly positions: StoredPositions,
    readonly catalog: ModelCatalog,
    readonly log: SourceLog,
  ) {}

  static async open(store: DocumentStore, log: SourceLog): Promise<Bookkeeping> {
    const documents = await store.collection('projection');
    return new Bookkeeping(new StoredPositions(documents, log), new ModelCatalog(documents, log.identity), log);
  }

  /**
   * Resolves to the checkpoint from which writing continues. Forgets other logs, and everything where documents are of events that the log has
   * lost; `onForeign` is called then.
   */
  async takeOver(models: Models, onForeign?: () => void): Promise<number> {
    const { positions, catalog } = this;
    const isForeign = await positions.removeForeign();
    const checkpoint = await positions.checkpoint();
    const isLost = checkpoint === undefined || (await this.isAheadOfLog(models));
    if (isLost) {
      await positions.remove();
      await catalog.forget([...models.keys()]);
    }
    if (isForeign || isLost) onForeign?.();
    return isLost ? NOWHERE : checkpoint;
  }

  /** Whether documents have events beyond the end of the log: they may have been written after the checkpoint. */
  private async isAheadOfLog(models: Models): Promise<boolean> {
    const head = await this.log.head();
    for (const { reader } of models.values()) {
      if (!(await reader.refresh())) continue;
      const [beyond] = await reader.find({ position: { $gt: head } }, { limit: 1 });
      // the log may have grown meanwhile, and a former leader may have written that
      if (beyond && Number(beyond['position']) > (await this.log.head())) return true;
    }
    return false;
  }
}

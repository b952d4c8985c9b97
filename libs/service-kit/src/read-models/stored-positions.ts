import { omitUndefined } from '@stave/domain';
import type { DocumentCollection } from '@stave/platform';
import { isKeyIn, keyIn, type EventMark, type SourceLog } from './source-log.js';

/**
 * Positions that the elected replica has reached, stored for the others: up to `checkpoint` the documents are written; up to `settled`
 * everything that followed from the end of a resource is done.
 */
type StoredPosition = 'checkpoint' | 'settled';

/** The position that was never stored. */
export const NOWHERE = -1;

/**
 * The stored positions in one log, and its last event up to the checkpoint: a log without it was replaced by an older copy. Readers and
 * writers of another log do not see them.
 */
export class StoredPositions {
  private mark: EventMark | undefined;
  private names: ReadonlySet<string> | undefined;
  /** Whether the log has the marked event: checked until it has, since no log loses events while it is used. */
  private isOfLog = false;
  private highest = NOWHERE;

  constructor(
    private readonly documents: DocumentCollection,
    private readonly log: SourceLog,
  ) {}

  /** Resolves to `NOWHERE` for a position that was never stored. */
  async get(of: StoredPosition): Promise<number> {
    if ((await this.checkpoint()) === undefined) return NOWHERE;
    return this.seen(positionIn(await this.documents.get(this.keyOf(of))));
  }

  /** The highest position that this replica has read or stored. */
  get seenUpTo(): number {
    return this.highest;
  }

  /**
   * The read models that were written up to the checkpoint, as last read or stored: the writer may have been of a release that does not know
   * all. Undefined for one of a release that did not say so.
   */
  get models(): ReadonlySet<string> | undefined {
    return this.names;
  }

  /** Resolves to undefined where the log does not have any more what was written up to there. */
  async checkpoint(): Promise<number | undefined> {
    const found = await this.documents.get(this.keyOf('checkpoint'));
    if (!found) return NOWHERE;
    // written by `putCheckpoint` only
    this.mark = found['mark'] as EventMark | undefined;
    const models = found['models'] as readonly string[] | undefined;
    this.names = models && new Set(models);
    this.isOfLog ||= this.mark === undefined || (await this.log.has(this.mark));
    return this.isOfLog ? this.seen(positionIn(found)) : undefined;
  }

  /** Stores the position unless a higher one is stored. */
  async put(of: Exclude<StoredPosition, 'checkpoint'>, position: number): Promise<void> {
    await this.documents.write([{ replace: { _id: this.keyOf(of), position } }]);
    this.seen(position);
  }

  /**
   * As `put`, for these read models. `mark` was taken together with the position; it is undefined where no event was handled since the start.
   */
  async putCheckpoint(position: number, models: Iterable<string>, mark = this.mark): Promise<void> {
    this.mark = mark;
    this.names = new Set(models);
    const _id = this.keyOf('checkpoint');
    await this.documents.write([{ replace: { _id, position, models: [...this.names], ...omitUndefined({ mark }) } }]);
    this.seen(position);
  }

  async remove(): Promise<void> {
    this.mark = undefined;
    await this.documents.write([{ remove: this.keyOf('checkpoint') }, { remove: this.keyOf('settled') }]);
  }

  /** Removes what belongs to other logs from the bookkeeping of the read models. Returns whether there was something. */
  async removeForeign(): Promise<boolean> {
    const keys = (await this.documents.find({})).map(({ _id }) => _id).filter(key => !isKeyIn(this.log.identity, key));
    if (keys.length > 0) await this.documents.write(keys.map(key => ({ remove: key })));
    return keys.length > 0;
  }

  private seen(position: number): number {
    this.highest = Math.max(this.highest, position);
    return position;
  }

  private keyOf(of: StoredPosition): string {
    return keyIn(this.log.identity, of);
  }
}

const positionIn = (document: Readonly<Record<string, unknown>> | undefined): number =>
  typeof document?.['position'] === 'number' ? document['position'] : NOWHERE;

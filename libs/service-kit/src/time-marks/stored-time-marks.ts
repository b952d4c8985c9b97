import type { TimeMark } from '@stave/contracts';
import type { DocumentCollection, DocumentStore, EventStore, RecordedEvent, StoredDocument } from '@stave/platform';
import { installationId } from '../events/installation.js';
import type { TimeMarkStore } from './time-mark-store.js';

const COLLECTION = 'timeMarks@';
const NEWEST_FIRST = [
  ['latest', -1],
  ['at', -1],
] as const;

/** Has no member `position`: writes that compare it search the whole collection on some servers, and a mark never changes. */
interface MarkDocument extends StoredDocument {
  readonly at: number;
  readonly latest: string;
  /** The event at the position. No other log has it. */
  readonly event: Pick<RecordedEvent, 'stream' | 'revision' | 'id'>;
}

/**
 * Marks in the document store, which every replica reads and the elected one writes. They live beside another database than the log, so the event of a mark is looked
 * up before it is used: where the log was replaced, or restored from a backup, it is not there.
 */
export class StoredTimeMarks implements TimeMarkStore {
  private opened: Promise<DocumentCollection> | undefined;

  constructor(
    private readonly documents: DocumentStore,
    private readonly eventStore: EventStore,
  ) {}

  async resume(): Promise<TimeMark | undefined> {
    await this.dropForeign();
    const collection = await this.collection();
    const found = await first(collection, {});
    if (!found || (await this.isOfLog(found))) return found && markIn(found);
    await collection.clear();
    return undefined;
  }

  async holds({ position }: TimeMark): Promise<boolean> {
    return (await (await this.collection()).get(String(position))) !== undefined;
  }

  async add({ position, latest }: TimeMark, { stream, revision, id }: RecordedEvent): Promise<void> {
    const document: MarkDocument = { _id: String(position), at: position, latest, event: { stream, revision, id } };
    await (await this.collection()).write([{ replace: document }]);
  }

  async before(time: string): Promise<TimeMark | undefined> {
    const found = await first(await this.collection(), { latest: { $lt: time } });
    return found && (await this.isOfLog(found)) ? markIn(found) : undefined;
  }

  private async isOfLog({ at, event }: MarkDocument): Promise<boolean> {
    const [found] = await this.eventStore.readStream(event.stream, { from: event.revision, limit: 1 });
    return found?.id === event.id && found.position === at;
  }

  private async dropForeign(): Promise<void> {
    const own = await this.name();
    for (const name of await this.documents.names())
      if (name.startsWith(COLLECTION) && name !== own) await this.documents.drop(name);
  }

  private collection(): Promise<DocumentCollection> {
    return (this.opened ??= this.open().catch((error: unknown) => {
      this.opened = undefined;
      throw error;
    }));
  }

  private async open(): Promise<DocumentCollection> {
    return this.documents.collection(await this.name(), [['latest', 'at']]);
  }

  private async name(): Promise<string> {
    return `${COLLECTION}${await installationId(this.eventStore)}`;
  }
}

async function first(collection: DocumentCollection, filter: object): Promise<MarkDocument | undefined> {
  const [found] = await collection.find({ ...filter }, { sort: NEWEST_FIRST, limit: 1 });
  return found as MarkDocument | undefined; // written by `add` only
}

const markIn = ({ at, latest }: MarkDocument): TimeMark => ({ position: at, latest });

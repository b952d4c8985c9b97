import { createHash } from 'node:crypto';
import { MongoClient, type Db } from 'mongodb';

/** The documents of all serving collections, by service, read model and id. */
export type Documents = ReadonlyMap<string, string>;

/** Reads and drops the databases of the services over MongoDB's protocol. */
export class ReadModels {
  private readonly client: MongoClient;

  /** `prefix`: only databases named `<prefix>-<service>` are read and dropped. */
  constructor(
    url: string,
    private readonly prefix: string,
  ) {
    this.client = new MongoClient(url);
  }

  /**
   * Returns the documents of the serving collections in the order of their keys, as JSON with sorted members. Other
   * collections are ignored, because a late write may create a lost one again; so are tombstones, which expire.
   */
  async documents(): Promise<Documents> {
    const found: [string, string][] = [];
    for (const { service, db } of await this.databases()) {
      const entries = await db
        .collection('projection')
        .find({ 'serving.collection': { $type: 'string' } })
        .toArray();
      for (const serving of entries.map(entry => String(entry['serving'].collection)))
        for (const document of await db
          .collection(serving)
          .find({ deleted: { $ne: true } })
          .toArray())
          found.push([`${service}/${serving.split('@')[0]}/${String(document._id)}`, JSON.stringify(sorted(document))]);
    }
    return new Map(found.sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Returns the number of all stored documents, also in collections that do not serve. */
  async stored(): Promise<number> {
    let count = 0;
    for (const { db } of await this.databases())
      for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray())
        count += await db.collection(name).countDocuments();
    return count;
  }

  /** Drops every database of the services. */
  async wipe(): Promise<void> {
    for (const { db } of await this.databases()) await db.dropDatabase();
  }

  close(): Promise<void> {
    return this.client.close();
  }

  private async databases(): Promise<readonly { readonly service: string; readonly db: Db }[]> {
    const { databases } = await this.client.db('admin').admin().listDatabases({ nameOnly: true });
    const names = databases.map(({ name }) => name).filter(name => name.startsWith(`${this.prefix}-`));
    return names.map(name => ({ service: name.slice(this.prefix.length + 1), db: this.client.db(name) }));
  }
}

export function hashOf(documents: Documents): string {
  return createHash('sha256')
    .update(JSON.stringify([...documents]))
    .digest('hex');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([key, member]) => [key, sorted(member)]));
}

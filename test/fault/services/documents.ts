import { createHash } from 'node:crypto';
import { MongoClient } from 'mongodb';

/** The documents of all read models by database, collection and id, without the bookkeeping of the projection. */
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

  /** Returns all documents in the order of their keys, as JSON with sorted members. */
  async documents(): Promise<Documents> {
    const found: [string, string][] = [];
    for (const database of await this.databases()) {
      const db = this.client.db(database);
      for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray()) {
        if (name === 'projection') continue;
        const service = database.slice(this.prefix.length + 1);
        for (const document of await db.collection(name).find({}).toArray())
          found.push([`${service}/${name}/${String(document._id)}`, JSON.stringify(sorted(document))]);
      }
    }
    return new Map(found.sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Drops every database of the services. */
  async wipe(): Promise<void> {
    for (const database of await this.databases()) await this.client.db(database).dropDatabase();
  }

  close(): Promise<void> {
    return this.client.close();
  }

  private async databases(): Promise<readonly string[]> {
    const { databases } = await this.client.db('admin').admin().listDatabases({ nameOnly: true });
    return databases.map(({ name }) => name).filter(name => name.startsWith(`${this.prefix}-`));
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

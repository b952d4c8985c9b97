import { MongoClient, type Db, type MongoClientOptions } from 'mongodb';

/** A client of the driver. It connects on the first call, and again whenever the connection is lost. */
export class MongoConnection {
  private readonly client: MongoClient;
  private readonly database: Db;
  private connected: Promise<unknown> | undefined;
  private running = 0;
  private whenIdle: (() => void) | undefined;

  constructor(url: string, database: string, options: MongoClientOptions) {
    this.client = new MongoClient(url, options);
    this.database = this.client.db(database);
  }

  /**
   * Runs an operation when the client is connected. The client connects by itself too, but after a first attempt that failed it answers everything with
   * "Topology is closed" for ever. One attempt serves all that wait.
   */
  async run<T>(operation: (database: Db) => Promise<T>): Promise<T> {
    this.running++;
    try {
      this.connected ??= this.client.connect().catch((error: unknown) => {
        this.connected = undefined;
        throw error;
      });
      await this.connected;
      return await operation(this.database);
    } finally {
      this.running--;
      if (this.running === 0) this.whenIdle?.();
    }
  }

  /** Closes the connections once the operations that are under way have ended. Takes no more. */
  async retire(): Promise<void> {
    if (this.running > 0) await new Promise<void>(resolve => (this.whenIdle = resolve));
    await this.client.close();
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

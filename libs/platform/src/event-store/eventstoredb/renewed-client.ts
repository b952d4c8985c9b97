import type { StoreFiles } from '../../transport/store-files.js';
import { connectionOptions } from './connection-string.js';
import { openClientFiles, type ClientFilesOptions } from './store-client-files.js';
import { StoreClient } from './store-client.js';
import type { ReadResponses } from './wire/read-response.js';

export interface RenewedClientOptions extends ClientFilesOptions {
  readonly connectionString: string;
}

/** The client of the files as they are now: files that have changed get a new client, and the former one ends with its calls. */
export class RenewedClient {
  private readonly files: StoreFiles;
  private readonly listeners = new Set<() => void>();
  private client: StoreClient;

  /** Throws BadConnectionStringError, or BadEnvironmentError for files that cannot be used. */
  constructor(options: RenewedClientOptions, responses: ReadResponses) {
    const hasPasswordFile = Boolean(options.files?.passwordFile);
    const connection = connectionOptions(options.connectionString, { hasPasswordFile });
    this.files = openClientFiles(connection, options);
    this.client = StoreClient.open(connection, this.files.current, responses);
    this.files.onChange(identity => {
      const former = this.client;
      this.client = StoreClient.open(connection, identity, responses);
      for (const listener of this.listeners) listener();
      former.retire();
    });
  }

  get current(): StoreClient {
    return this.client;
  }

  /** Calls the listener when there is a new client: calls that do not end by themselves are to be made again. */
  onRenewed(listener: () => void): void {
    this.listeners.add(listener);
  }

  async close(): Promise<void> {
    this.files.close();
    await this.client.dispose();
  }
}

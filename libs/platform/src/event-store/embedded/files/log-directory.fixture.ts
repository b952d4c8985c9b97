import { cp, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEventStore, type EmbeddedEventStoreOptions } from '../embedded.event-store.js';

/** A folder with a log of small files, for one test. */
export class LogDirectory {
  /** The messages for operators. */
  readonly said: { readonly message: string; readonly fields: Readonly<Record<string, unknown>> }[] = [];

  private constructor(readonly path: string) {}

  static async make(): Promise<LogDirectory> {
    return new LogDirectory(await mkdtemp(join(tmpdir(), 'stave-files-')));
  }

  open(options: Partial<EmbeddedEventStoreOptions> = {}): Promise<EmbeddedEventStore> {
    const log = (message: string, fields: Readonly<Record<string, unknown>>): void =>
      void this.said.push({ message, fields });
    return EmbeddedEventStore.open({
      ...{ directory: this.path, fsync: false, segmentEvents: 20, fileBytes: 4_000, log },
      ...options,
    });
  }

  file(name: string): string {
    return join(this.path, name);
  }

  /** Returns the names of the files of the log in order, the first file first. */
  async files(): Promise<string[]> {
    const later = (await readdir(this.path)).filter(name => /^events\.\d{16}\.log$/.test(name));
    return ['events.log', ...later.sort()];
  }

  async sizes(): Promise<number[]> {
    return Promise.all((await this.files()).map(async name => (await stat(this.file(name))).size));
  }

  /** Copies everything that is there now. */
  async copy(): Promise<LogDirectory> {
    const copy = await LogDirectory.make();
    await cp(this.path, copy.path, { recursive: true });
    return copy;
  }

  remove(): Promise<void> {
    return rm(this.path, { recursive: true });
  }
}

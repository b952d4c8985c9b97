import { getOrCreate } from '@stave/domain';

/**
 * Reads of which each begins after it was asked for, so that it shows everything that was acknowledged before. Those that are asked for during a read
 * of the same key share the next one.
 */
export class SharedReads<T> {
  private readonly running = new Map<string, Promise<T>>();
  private readonly next = new Map<string, Promise<T>>();

  constructor(private readonly read: (key: string) => Promise<T>) {}

  /** Resolves or rejects as the read does. */
  of(key: string): Promise<T> {
    return getOrCreate(this.next, key, () => this.readNext(key));
  }

  private async readNext(key: string): Promise<T> {
    // its failure is the answer to those who share it
    await this.running.get(key)?.catch(() => undefined);
    this.next.delete(key);
    const read = this.read(key);
    this.running.set(key, read);
    try {
      return await read;
    } finally {
      if (this.running.get(key) === read) this.running.delete(key);
    }
  }
}

import type { SecretStore } from '@stave/driver-sdk';
import { knownSecrets } from '@stave/platform';

/** The number of secrets that are kept, those that were stored last: drivers store some for each cluster that ever was. */
export const SECRETS_KEPT = 10_000;

/** Keeps secrets in memory while the process runs. Every stored secret is removed from logs, reports and events. */
export class MemorySecretStore implements SecretStore {
  private readonly values = new Map<string, string>();

  async get(name: string): Promise<string | undefined> {
    return this.values.get(name);
  }

  async put(name: string, value: string): Promise<void> {
    knownSecrets.learn(value);
    this.values.delete(name);
    this.values.set(name, value);
    const [oldest] = this.values.keys();
    if (this.values.size > SECRETS_KEPT && oldest !== undefined) this.values.delete(oldest);
  }

  async delete(name: string): Promise<void> {
    this.values.delete(name);
  }
}

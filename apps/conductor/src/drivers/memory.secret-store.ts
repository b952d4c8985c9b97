import type { SecretStore } from '@stave/driver-sdk';
import type { KnownSecrets } from '@stave/platform';

/** Keeps secrets in memory while the process runs. Every stored secret is removed from logs, reports and events. */
export class MemorySecretStore implements SecretStore {
  private readonly values = new Map<string, string>();

  constructor(private readonly known: KnownSecrets) {}

  async get(name: string): Promise<string | undefined> {
    return this.values.get(name);
  }

  async put(name: string, value: string): Promise<void> {
    this.known.learn(value);
    this.values.set(name, value);
  }

  async delete(name: string): Promise<void> {
    this.values.delete(name);
  }
}

import type { SecretStore } from '@stave/driver-sdk';
import type { KnownSecrets } from '@stave/platform';

/** Secrets for as long as this process lives; drivers read again from their infrastructure what they do not find. None is told. */
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

import type { OfferedDriver } from '@stave/domain';
import { canOperate, type Driver, type DriverManifest, type LoadedDriver, type SecretStore } from '@stave/driver-sdk';
import { knownSecrets } from '@stave/platform';
import { compare } from 'semver';
import type { Logger } from 'pino';
import { backoffMs, type BackoffSettings } from '../time/backoff.js';
import { pause, type Clock } from '../time/clock.js';
import { MemorySecretStore } from './memory.secret-store.js';

export interface OpenDriver {
  readonly manifest: DriverManifest;
  readonly driver: Driver;
  readonly log: Logger;
  readonly secrets: SecretStore;
}

export interface DriverPoolParts {
  readonly loaded: readonly LoadedDriver[];
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly retry: BackoffSettings;
  readonly log: Logger;
}

/** The drivers of this conductor, opened once the installation's id is known. */
export class DriverPool {
  private opened: OpenDriver[] = [];
  private installation: string | undefined;
  private closing = new AbortController();

  constructor(private readonly parts: DriverPoolParts) {}

  /** What registration says that we can do; drivers whose infrastructure is away too, for they may come back. */
  get offered(): readonly OfferedDriver[] {
    return this.parts.loaded.map(({ manifest }) => ({
      name: manifest.name,
      version: manifest.version,
      ...(manifest.compatibleFrom === undefined ? {} : { compatibleFrom: manifest.compatibleFrom }),
      manifest: { ...manifest },
    }));
  }

  get names(): readonly string[] {
    return [...new Set(this.parts.loaded.map(({ manifest }) => manifest.name))];
  }

  /** Of each loaded driver, whether it could be opened. */
  get states(): readonly { readonly name: string; readonly version: string; readonly open: boolean }[] {
    return this.parts.loaded.map(({ manifest }) => ({
      name: manifest.name,
      version: manifest.version,
      open: this.opened.some(open => open.manifest === manifest),
    }));
  }

  get all(): readonly OpenDriver[] {
    return this.opened;
  }

  /** The newest open driver of this name that operates what the recorded version built. */
  find(name: string, recordedVersion: string): OpenDriver | undefined {
    return this.opened
      .filter(({ manifest }) => manifest.name === name && canOperate(manifest, recordedVersion))
      .sort((a, b) => compare(b.manifest.version, a.manifest.version))[0];
  }

  /** Opens every driver, in the background, until each is open; again with another id if the installation changed. */
  open(installation: string, onOpened: (driver: OpenDriver) => void): void {
    if (this.installation === installation) return;
    if (this.installation !== undefined) void this.close();
    this.installation = installation;
    this.closing = new AbortController();
    const { signal } = this.closing;
    for (const loaded of this.parts.loaded) void this.openOne(loaded, installation, signal, onOpened);
  }

  /** Closes what is open; one that fails to is logged. */
  async close(): Promise<void> {
    this.closing.abort();
    this.installation = undefined;
    await Promise.all(this.opened.splice(0).map(open => this.closeOne(open)));
  }

  private async openOne(
    { manifest, module }: LoadedDriver,
    installation: string,
    signal: AbortSignal,
    onOpened: (driver: OpenDriver) => void,
  ): Promise<void> {
    const { dataDir, env, clock, retry } = this.parts;
    const log = this.parts.log.child({ driver: `${manifest.name}@${manifest.version}` });
    for (let attempt = 0; !signal.aborted; attempt++) {
      try {
        const driver = await module.open({ installation, dataDir, env, log });
        const open = { manifest, driver, log, secrets: new MemorySecretStore(knownSecrets) };
        if (signal.aborted) return void (await this.closeOne(open));
        this.opened.push(open);
        return onOpened(open);
      } catch (error) {
        log.error({ err: error, attempt }, 'driver did not open, trying again');
        await pause(clock, backoffMs(attempt, retry), signal);
      }
    }
  }

  private async closeOne({ driver, log }: OpenDriver): Promise<void> {
    try {
      await driver.close();
    } catch (error) {
      log.warn({ err: error }, 'driver did not close');
    }
  }
}

import { Inject, Injectable } from '@nestjs/common';
import type { OfferedDriver } from '@stave/domain';
import { canOperate, missingOperations, type LoadedDriver } from '@stave/driver-sdk';
import { compare } from 'semver';
import { ConductorContext } from '../conductor.context.js';
import { DRIVER_POOL_OPTIONS, type DriverPoolOptions } from '../conductor.tokens.js';
import { backoffMs } from '../time/backoff.js';
import { pause, settledBefore } from '../time/clock.js';
import { offerOf } from './driver-offer.js';
import { OpenDriver } from './open-driver.js';

/** The drivers of this conductor. They are opened when the installation's id is known. */
@Injectable()
export class DriverPool {
  private opened: OpenDriver[] = [];
  private installation: string | undefined;
  private closing = new AbortController();
  private firstAttempts: Promise<unknown> = Promise.resolve();
  private readonly listeners = new Set<(driver: OpenDriver) => void>();

  constructor(
    @Inject(DRIVER_POOL_OPTIONS) private readonly options: DriverPoolOptions,
    private readonly context: ConductorContext,
  ) {}

  /** The drivers that have opened, whether their infrastructure is available now or not. */
  get offered(): readonly OfferedDriver[] {
    return this.options.loaded.flatMap(loaded => {
      const open = this.opened.find(({ manifest }) => manifest === loaded.manifest);
      return open ? [offerOf(loaded, this.options, open.driver)] : [];
    });
  }

  get names(): readonly string[] {
    return [...new Set(this.options.loaded.map(({ manifest }) => manifest.name))];
  }

  get all(): readonly OpenDriver[] {
    return this.opened;
  }

  /** Returns the newest open driver of this name that can operate resources built by the recorded version. */
  find(name: string, recordedVersion: string): OpenDriver | undefined {
    return this.opened
      .filter(({ manifest }) => manifest.name === name && canOperate(manifest, recordedVersion))
      .sort((a, b) => compare(b.manifest.version, a.manifest.version))[0];
  }

  /**
   * Opens every driver in the background and retries until it is open. Opens them again when the installation changed. Resolves when each
   * was tried once, at the latest after `openMs`.
   */
  async open(installation: string): Promise<void> {
    const { clock, times } = this.context;
    if (this.installation !== installation) this.openAll(installation);
    await settledBefore(clock, this.firstAttempts, times.openMs);
  }

  /** Calls `listener` with each driver that opens from now on; the returned function ends that. */
  onOpened(listener: (driver: OpenDriver) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private openAll(installation: string): void {
    if (this.installation !== undefined) void this.close();
    this.installation = installation;
    this.closing = new AbortController();
    const { signal } = this.closing;
    this.firstAttempts = Promise.all(
      this.options.loaded.map(
        loaded => new Promise<void>(tried => void this.openOne(loaded, installation, signal, tried)),
      ),
    );
  }

  /** Closes the open drivers. A driver that fails to close is logged. */
  async close(): Promise<void> {
    this.closing.abort();
    this.installation = undefined;
    await Promise.all(this.opened.splice(0).map(open => this.closeOne(open)));
  }

  private async openOne(
    { manifest, module }: LoadedDriver,
    installation: string,
    signal: AbortSignal,
    tried: () => void,
  ): Promise<void> {
    const { dataDir, env } = this.options;
    const { clock, times } = this.context;
    const log = this.context.log.child({ driver: `${manifest.name}@${manifest.version}` });
    for (let attempt = 0; !signal.aborted; attempt++) {
      try {
        const driver = await module.open({ installation, dataDir, env, log });
        const open = new OpenDriver(manifest, driver, log, this.context);
        if (this.isComplete(open)) this.add(open, signal);
        return tried();
      } catch (error) {
        log.error({ err: error, attempt }, 'driver was not opened and is not offered, retrying');
        tried();
        await pause(clock, backoffMs(attempt, times.retry), signal);
      }
    }
    tried();
  }

  /** A driver that lacks what its manifest declares is refused: opening it again changes nothing. */
  private isComplete(open: OpenDriver): boolean {
    const missing = missingOperations(open.manifest, open.driver);
    if (missing.length === 0) return true;
    const reason = `the manifest declares operations that \`api\` lacks: ${missing.join(', ')}`;
    open.log.error({ reason }, 'a driver was refused');
    void this.closeOne(open);
    return false;
  }

  private add(open: OpenDriver, signal: AbortSignal): void {
    if (signal.aborted) return void this.closeOne(open);
    this.opened.push(open);
    for (const listener of this.listeners) listener(open);
  }

  private async closeOne({ driver, log }: OpenDriver): Promise<void> {
    try {
      await driver.close();
    } catch (error) {
      log.warn({ err: error }, 'driver was not closed');
    }
  }
}

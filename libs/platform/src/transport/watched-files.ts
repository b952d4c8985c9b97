import type { Logger } from '../observability/logger.js';
import { UnusableFilesError } from './certificate-pair.js';

/** Milliseconds between two reads. Files are exchanged through links and mounts, of which not every system reports changes. */
const READ_MS = 5_000;

export interface WatchedFilesOptions<T> {
  /** Reads the files. Throws UnusableFilesError when they cannot be used. */
  readonly read: () => T;
  /** The settings that name the files, for the log. */
  readonly settings: string;
  readonly log?: Pick<Logger, 'info' | 'error'> | undefined;
  /** Milliseconds between two reads; default 5,000. */
  readonly readMs?: number | undefined;
}

/** What files contain, read again while the process runs. Files that cannot be used are logged once, and the former content counts. */
export class WatchedFiles<T extends object> {
  private readonly listeners = new Set<(content: T) => void>();
  private readonly timer: NodeJS.Timeout;
  private content: T;
  private problem: string | undefined;

  /** Reads the files. Throws UnusableFilesError. */
  constructor(private readonly options: WatchedFilesOptions<T>) {
    this.content = options.read();
    this.timer = setInterval(() => this.readAgain(), options.readMs ?? READ_MS).unref();
  }

  get current(): T {
    return this.content;
  }

  /** Calls the listener with each new content. */
  onChange(listener: (content: T) => void): void {
    this.listeners.add(listener);
  }

  close(): void {
    clearInterval(this.timer);
    this.listeners.clear();
  }

  private readAgain(): void {
    const { read, settings, log } = this.options;
    try {
      const content = read();
      this.problem = undefined;
      if (JSON.stringify(content) === JSON.stringify(this.content)) return;
      this.content = content;
      log?.info({ settings }, 'the files have changed and are used from now on');
      for (const listener of this.listeners) listener(content);
    } catch (error) {
      if (!(error instanceof UnusableFilesError)) throw error;
      const { message } = error;
      // once for each mistake: the files are read again and again
      if (this.problem !== message)
        log?.error(
          { settings, problem: message },
          `${settings} cannot be used any more; the former content is used on`,
        );
      this.problem = message;
    }
  }
}

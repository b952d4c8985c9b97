import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { errorCode, type EventStore, type Logger } from '@stave/platform';
import { LostEventsError } from './lost-events.js';
import type { SavedFields } from './snapshot-fields.js';
import { piecesOf, readPieces } from './snapshot-pieces.js';

/** The folded state of a service, and its position in the log; see `Feed`. */
export interface ServiceFolds {
  readonly position: number;
  readonly lastEvent: number;
  readonly fields: SavedFields;
}

export interface FoldingService {
  position(): number;
  capture(): ServiceFolds;
}

export interface SnapshotFileOptions {
  readonly file: string;
  readonly eventStore: EventStore;
  /** Fingerprint of the code that folds: states of other code are discarded. */
  readonly code: string;
  readonly log: Logger;
  /**
   * For a log whose positions are numbered without gaps: the number of events that may be missing from it although the file
   * contains them; 0: none. Absent: a file of a longer log is discarded.
   */
  readonly acceptLostEvents?: number;
}

interface Header {
  readonly code: string;
  /** An event of the log: a log without it is another log. */
  readonly seen: { readonly position: number; readonly id: string };
  readonly services: Readonly<Record<string, { readonly position: number; readonly lastEvent: number }>>;
}

/** Number of events after which the file is written again; more for a large file. */
const EVERY_EVENTS = 50_000;
/** Folding one event costs about as much as writing this many bytes. */
const BYTES_PER_EVENT = 1_000;
const LOOK_MS = 60_000;
const OWNER_ONLY = 0o600;

/**
 * The folded states of all services of a process, in one file beside the log, so that a start does not replay the complete log. A cache: a
 * file of other code, of another log, or with damage is discarded, and everything is folded from the first event.
 */
export class SnapshotFile {
  private readonly services = new Map<string, FoldingService>();
  private timer: NodeJS.Timeout | undefined;
  private saving: Promise<void> = Promise.resolve();
  private bytes = 0;

  private constructor(
    private readonly options: SnapshotFileOptions,
    private readonly loaded: Map<string, ServiceFolds>,
    private savedAt: number,
  ) {}

  /** Throws LostEventsError. */
  static async open(options: SnapshotFileOptions): Promise<SnapshotFile> {
    const loaded = await load(options).catch((err: unknown) => {
      if (err instanceof LostEventsError) throw err;
      options.log.warn({ err, file: options.file }, 'the folded states cannot be used; everything is folded again');
      return new Map<string, ServiceFolds>();
    });
    const positions = [...loaded.values()].map(({ position }) => position);
    return new SnapshotFile(options, loaded, positions.length > 0 ? Math.min(...positions) : -1);
  }

  /** Returns the saved state of this service, once; the service is saved with the others from then on. */
  take(name: string, service: FoldingService): ServiceFolds | undefined {
    this.services.set(name, service);
    const folds = this.loaded.get(name);
    this.loaded.delete(name);
    return folds;
  }

  start(): void {
    this.timer = setInterval(() => {
      if (this.reached - this.savedAt < Math.max(EVERY_EVENTS, this.bytes / BYTES_PER_EVENT)) return;
      this.save().catch((err: unknown) => this.options.log.warn({ err }, 'the folded states could not be written'));
    }, LOOK_MS).unref();
  }

  /** Replaces the file by the current state, atomically. Calls run one after the other. */
  save(): Promise<void> {
    const done = this.saving.then(() => this.write());
    this.saving = done.catch(() => undefined);
    return done;
  }

  /** Saves the last state. To be called when no service handles events any more. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    if (this.reached !== this.savedAt) await this.save();
    await this.saving;
  }

  private get reached(): number {
    return Math.min(...[...this.services.values()].map(service => service.position()));
  }

  private async write(): Promise<void> {
    // in one turn: no event is handled in between
    const services = [...this.services].map(([name, service]) => [name, service.capture()] as const);
    if (services.length === 0) return;
    const head = await this.options.eventStore.head();
    const [last] = head < 0 ? [] : await this.options.eventStore.readAll({ after: head - 1, limit: 1 });
    if (!last) return;
    const places = services.map(([name, { position, lastEvent }]) => [name, { position, lastEvent }] as const);
    const seen = { position: last.position, id: last.id };
    const header: Header = { code: this.options.code, seen, services: Object.fromEntries(places) };
    const fields = new Map(services.flatMap(([, folds]) => [...folds.fields]));
    this.bytes = await replaceFile(this.options.file, piecesOf(header, fields));
    this.savedAt = Math.min(...places.map(([, { position }]) => position));
  }
}

async function replaceFile(file: string, pieces: Iterable<Buffer>): Promise<number> {
  let bytes = 0;
  const draft = `${file}.new`;
  await mkdir(dirname(file), { recursive: true });
  const handle = await open(draft, 'w', OWNER_ONLY);
  try {
    for (const piece of pieces) {
      await handle.writeFile(piece);
      bytes += piece.length;
      await setImmediate();
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
  return bytes;
}

/** Returns no state without a file, or for one of other code. Throws RangeError for a damaged file or one of another log, and LostEventsError. */
async function load(options: SnapshotFileOptions): Promise<Map<string, ServiceFolds>> {
  const { file, code, eventStore, log } = options;
  await rm(`${file}.new`, { force: true });
  const bytes = await readFile(file).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (!bytes) return new Map();
  const { header, fields } = readPieces(bytes);
  const { seen, services, code: of } = header as Header;
  if (await areEventsLost(options, seen.position + 1)) {
    await rm(file);
    return new Map();
  }
  if (of !== code) {
    log.info({ file }, 'the folded states are of another release; everything is folded again');
    return new Map();
  }
  const [event] = await eventStore.readAll({ limit: 1, ...(seen.position > 0 && { after: seen.position - 1 }) });
  if (event?.id !== seen.id || event.position !== seen.position)
    throw new RangeError('the snapshot file is of another log');
  const all = fields();
  const ofService = (name: string) => new Map([...all].filter(([path]) => path.startsWith(`${name}/`)));
  return new Map(Object.entries(services).map(([name, folded]) => [name, { ...folded, fields: ofService(name) }]));
}

/** Returns whether events that the file contains are missing from the log, and that was accepted. Throws LostEventsError when it was not. */
async function areEventsLost(options: SnapshotFileOptions, written: number): Promise<boolean> {
  const { file, eventStore, log, acceptLostEvents } = options;
  if (acceptLostEvents === undefined) return false;
  const found = (await eventStore.head()) + 1;
  if (found >= written) return false;
  if (acceptLostEvents !== written - found) throw new LostEventsError({ proof: file, written, found });
  log.warn({ file, written, found }, 'events are missing from the log, as accepted; the snapshot is deleted');
  return true;
}

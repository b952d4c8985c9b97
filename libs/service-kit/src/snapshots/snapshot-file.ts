import { randomUUID } from 'node:crypto';
import { access, constants, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { errorCode, type EventStore, type Logger, type RecordedEvent } from '@stave/platform';
import type { HandledEvent } from '../events/feed.js';
import { LostEventsError } from './lost-events.js';
import type { SavedFields } from './snapshot-fields.js';
import { observeSnapshot } from './snapshot-metrics.js';
import { piecesOf, readPieces } from './snapshot-pieces.js';

/** The folded state of a service. */
export interface ServiceFolds {
  /** The last event that is folded; undefined before the first one. */
  readonly last: HandledEvent | undefined;
  /** The id of the installation whose log is folded. */
  readonly installation: string;
  /** No state beyond this position was forgotten because stored read models show its end. */
  readonly forgottenUpTo: number;
  readonly fields: SavedFields;
}

export interface FoldingService {
  /** Returns the number of events that it has handled. */
  handled(): number;
  /** Returns undefined for states that must not be saved: the file stays as it is. */
  capture(): ServiceFolds | undefined;
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
  readonly seen: HandledEvent;
  readonly services: Readonly<Record<string, Omit<ServiceFolds, 'fields'>>>;
}

/** Number of events after which the file is written again; more for a large file. */
const EVERY_EVENTS = 50_000;
/** Folding one event costs about as much as writing this many bytes. */
const BYTES_PER_EVENT = 1_000;
const LOOK_MS = 60_000;
const OWNER_ONLY = 0o600;
const DRAFT = '.new';
/** Milliseconds after which a draft is of a process that was killed. */
const DRAFT_MS = 600_000;

/**
 * The folded states of all services of a process, in one file, so that a start does not replay the complete log. A cache: a file of other
 * code, of another log, or with damage is discarded, and everything is folded from the first event. Replicas may share a file: it is replaced
 * as a whole, and the states of any replica serve every other one.
 */
export class SnapshotFile {
  private readonly services = new Map<string, FoldingService>();
  /** The number of events that each service had handled when the file was written. */
  private saved = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;
  private saving: Promise<void> = Promise.resolve();
  private bytes = 0;
  /** When the file was written, or this process has started; monotonic milliseconds. */
  savedAt = performance.now();

  private constructor(
    private readonly options: SnapshotFileOptions,
    private readonly loaded: Map<string, ServiceFolds>,
  ) {
    observeSnapshot(this);
  }

  /** Throws LostEventsError, and an error of the file system when the directory cannot be written. */
  static async open(options: SnapshotFileOptions): Promise<SnapshotFile> {
    await prepareDirectory(options.file);
    const loaded = await load(options).catch((err: unknown) => {
      if (err instanceof LostEventsError) throw err;
      options.log.warn({ err, file: options.file }, 'the folded states cannot be used; everything is folded again');
      return new Map<string, ServiceFolds>();
    });
    return new SnapshotFile(options, loaded);
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
      if (this.unsaved < Math.max(EVERY_EVENTS, this.bytes / BYTES_PER_EVENT)) return;
      this.save().catch((err: unknown) => this.options.log.warn({ err }, 'the folded states could not be written'));
    }, LOOK_MS).unref();
  }

  /** Replaces the file by the current state, atomically. Calls run one after the other. */
  save(): Promise<void> {
    const done = this.saving.then(() => this.write());
    this.saving = done.catch(() => undefined);
    return done;
  }

  /** Saves the last state; logs when it cannot be written. To be called when no service handles events any more. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    try {
      await (this.unsaved > 0 ? this.save() : this.saving);
    } catch (err) {
      this.options.log.warn(
        { err },
        'the folded states were not saved; the next start continues from earlier ones, if any',
      );
    }
  }

  /** The number of events that a start must fold again in the service that has most of them. */
  get unsaved(): number {
    const counts = [...this.services].map(([name, service]) => service.handled() - (this.saved.get(name) ?? 0));
    return Math.max(0, ...counts);
  }

  private async write(): Promise<void> {
    const services: (readonly [name: string, folds: ServiceFolds])[] = [];
    const saved = new Map<string, number>();
    // each service in one turn, in which it handles no event; it continues after its own last event
    for (const [name, service] of this.services) {
      const folds = service.capture();
      if (!folds) return;
      services.push([name, folds]);
      saved.set(name, service.handled());
      await setImmediate();
    }
    const seen = await this.lastSeen(services.flatMap(([, { last }]) => last ?? []));
    if (!seen) return;
    const places = services.map(([name, { fields: _fields, ...place }]) => [name, place] as const);
    const header: Header = { code: this.options.code, seen, services: Object.fromEntries(places) };
    const fields = new Map(services.flatMap(([, folds]) => [...folds.fields]));
    this.bytes = await replaceFile(this.options.file, piecesOf(header, fields));
    this.saved = saved;
    this.savedAt = performance.now();
  }

  /** Returns the last event of a log without gaps, so that a loss of any is noticed; of other logs the last one that is folded. */
  private async lastSeen(folded: readonly HandledEvent[]): Promise<HandledEvent | undefined> {
    const { eventStore, acceptLostEvents } = this.options;
    if (acceptLostEvents === undefined) return folded.toSorted((a, b) => b.position - a.position)[0];
    const [last] = await eventStore.readAll({ after: (await eventStore.head()) - 1, limit: 1 });
    return last && handledEvent(last);
  }
}

const handledEvent = ({ stream, revision, id, position }: RecordedEvent): HandledEvent => ({
  stream,
  revision,
  id,
  position,
});

/** Creates the directory, and removes drafts that processes left in it which were killed while they wrote. */
async function prepareDirectory(file: string): Promise<void> {
  const directory = dirname(file);
  await mkdir(directory, { recursive: true });
  await access(directory, constants.W_OK);
  const isDraft = (name: string): boolean => name.startsWith(`${basename(file)}.`) && name.endsWith(DRAFT);
  for (const name of (await readdir(directory)).filter(isDraft)) {
    const draft = join(directory, name);
    const { mtimeMs } = await stat(draft).catch(() => ({ mtimeMs: Infinity })); // another replica has completed it
    if (Date.now() - mtimeMs > DRAFT_MS) await rm(draft, { force: true });
  }
}

async function replaceFile(file: string, pieces: Iterable<Buffer>): Promise<number> {
  let bytes = 0;
  const draft = `${file}.${randomUUID()}${DRAFT}`;
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
  const [event] = await eventStore.readStream(seen.stream, { from: seen.revision, limit: 1 });
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

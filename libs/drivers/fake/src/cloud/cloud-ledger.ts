import { DriverError, type FailureClass, type FailureCode } from '@stave/driver-sdk';
import { systemCloudClock, type CloudClock } from './cloud-clock.js';
import type { CloudRequest, JournalEntry } from './fake-cloud.port.js';
import type { FakeUnit, UnitDraft } from './fake-unit.js';
import { JournalFile } from './journal-file.js';
import type { CloudState } from './state-file.js';
import { UnitTable } from './unit-table.js';

type LedgerLine = Pick<JournalEntry, 'effect' | 'put' | 'gone'>;

/** Keeps the entries of the cloud's journal in order. */
export type Journal = Pick<JournalFile, 'append' | 'close'>;

/** The state of the cloud: the units, and the journal from which they are replayed. Every change is journaled before it is visible. */
export class CloudLedger {
  readonly units = new UnitTable();
  private readonly failedBuilds = new Map<string, number>();
  private readonly refusals = new Map<string, number>();
  private lastUnit = 0;
  private lastEntry = 0;
  private lastTime = '';

  constructor(
    private file: Journal | undefined,
    private readonly clock: CloudClock = systemCloudClock,
  ) {}

  static async open(dataDir: string, clock: CloudClock): Promise<CloudLedger> {
    const ledger = new CloudLedger(undefined, clock);
    ledger.file = await JournalFile.open(dataDir, {
      restore: state => ledger.restore(state),
      replay: entry => ledger.apply(entry),
      current: () => ledger.current(),
    });
    return ledger;
  }

  close(): void {
    const { file } = this;
    this.file = undefined;
    file?.close(this.current());
  }

  nextUnit(): { infrastructureId: string; createdAt: string } {
    this.lastUnit += 1;
    return { infrastructureId: `fc-${this.lastUnit}`, createdAt: this.time() };
  }

  /** Returns how many builds of this node failed because of the option `failFirst`. */
  failedBuildsOf(unit: UnitDraft): number {
    return this.failedBuilds.get(keyOf('create', unit)) ?? 0;
  }

  /** Returns how many calls of this kind on the resource failed permanently. */
  refusalsOf(call: string, unit: UnitDraft): number {
    return this.refusals.get(keyOf(call, unit)) ?? 0;
  }

  write(request: CloudRequest, line: LedgerLine, unit?: FakeUnit, error?: FailureClass): void {
    if (!this.file) throw new DriverError('transient', 'the fake cloud is closed');
    const entry: JournalEntry = {
      seq: this.lastEntry + 1,
      at: this.time(),
      call: request.call,
      caller: request.caller,
      ...selectorOf(request, unit),
      ...line,
      error,
    };
    this.file.append(entry);
    this.apply(entry);
  }

  fail(
    request: CloudRequest,
    failure: FailureClass,
    message: string,
    unit?: FakeUnit,
    { code, ...line }: LedgerLine & { readonly code?: FailureCode } = {},
  ): DriverError {
    this.write(request, line, unit, failure);
    return new DriverError(failure, message, code && { code });
  }

  private time(): string {
    return new Date(this.clock.now()).toISOString();
  }

  /** Writes the refusal of a call into the journal, and returns its error. */
  refused(request: CloudRequest, error: DriverError, unit?: FakeUnit): DriverError {
    this.write(request, {}, unit, error.failure);
    return error;
  }

  private current(): CloudState | undefined {
    const { lastEntry: seq, lastTime: at, lastUnit, failedBuilds, refusals } = this;
    return seq === 0 ? undefined : { seq, at, lastUnit, units: this.units.all(), failedBuilds, refusals };
  }

  private restore({ seq, at, lastUnit, units, failedBuilds, refusals }: CloudState): void {
    this.lastEntry = seq;
    this.lastTime = at;
    this.lastUnit = lastUnit;
    for (const unit of units) this.units.put(unit);
    for (const [key, count] of failedBuilds) this.failedBuilds.set(key, count);
    for (const [key, count] of refusals) this.refusals.set(key, count);
  }

  private apply(entry: JournalEntry): void {
    this.lastEntry = entry.seq;
    this.lastTime = entry.at;
    if (entry.error === 'permanent') increment(this.refusals, keyOf(entry.call, entry));
    for (const unit of entry.put ?? []) {
      this.units.put(unit);
      this.lastUnit = Math.max(this.lastUnit, Number(unit.infrastructureId.slice('fc-'.length)));
      if (entry.effect === 'failed') increment(this.failedBuilds, keyOf('create', unit));
    }
    for (const infrastructureId of entry.gone ?? []) this.units.delete(infrastructureId);
  }
}

type Resource = Partial<Pick<FakeUnit, 'installation' | 'kind' | 'resourceId'>>;

const keyOf = (call: string, { installation, kind, resourceId }: Resource): string =>
  [call, installation, kind, resourceId].join('\n');

const increment = (counts: Map<string, number>, key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1);

/** Returns the members of an entry that name the unit of a call; without a unit, those that the request itself contains. */
function selectorOf(request: CloudRequest, unit: FakeUnit | undefined): Partial<JournalEntry> {
  const requested: Partial<FakeUnit> = request.call === 'create' ? request.unit : request;
  const { installation, kind, resourceId, infrastructureId } = unit ?? requested;
  return { installation, kind, resourceId, unit: infrastructureId, unitGeneration: unit?.generation };
}

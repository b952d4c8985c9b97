import type { JournalEntry } from '@stave/driver-fake';
import { describeAttempt, type Attempt, type ClaimHistory } from './claim-history.js';
import type { BrokenPromise, PromiseName } from './history.js';

/** These effects change nothing: the call continued a build or found an existing unit. */
const harmless = new Set(['adopted', 'finished', 'failed']);

/** Checks for each change in the journal which attempt made it, and whether that attempt held the claim. */
export class EffectRules {
  readonly broken: BrokenPromise[] = [];
  private readonly goneAt = new Map<string, number>();
  private readonly keptAt = new Map<string, number>();
  private readonly builtBy = new Map<string, Attempt>();
  private readonly builds = new Map<string, JournalEntry>();

  constructor(
    private readonly claims: ClaimHistory,
    journal: readonly JournalEntry[],
  ) {
    for (const { seq, gone = [] } of journal) for (const unit of gone) this.goneAt.set(unit, seq);
    for (const entry of journal)
      if (entry.effect === 'adopted' && this.isTimely(entry)) this.keptAt.set(unitOf(entry), entry.seq);
    for (const entry of journal) if (entry.effect !== undefined && !isSweep(entry)) this.check(entry);
  }

  private check(entry: JournalEntry): void {
    const attempt = this.attemptOf(entry);
    if (!attempt || attempt.claimedAt > entry.at || attempt.conductor !== entry.caller.conductor)
      return this.note('effect-without-claim', entry);
    const builds = entry.effect === 'created' || entry.effect === 'adopted' || entry.effect === 'finished';
    const late = !harmless.has(entry.effect ?? '') && !this.isTimely(entry);
    const undone = late && entry.effect === 'created' && this.isUndone(entry);
    if (late && !undone) this.note('late-effect-stays', entry, attempt);
    if (entry.effect === 'created' && !undone) this.built(entry);
    if (!builds) this.changed(entry, attempt);
    else if (!(late || this.isLaterBuilder(entry, attempt))) this.builtBy.set(unitOf(entry), attempt);
  }

  /** Returns whether the unit was removed again or adopted by the current attempt. */
  private isUndone(entry: JournalEntry): boolean {
    const after = (at: number | undefined): boolean => at !== undefined && at > entry.seq;
    return after(this.goneAt.get(unitOf(entry))) || after(this.keptAt.get(unitOf(entry)));
  }

  private built(entry: JournalEntry): void {
    const key = `${resourceOf(entry)}/g${entry.unitGeneration ?? 0}`;
    if (this.builds.has(key)) this.note('built-twice', entry);
    this.builds.set(key, entry);
  }

  private changed(entry: JournalEntry, attempt: Attempt): void {
    const builder = this.builtBy.get(unitOf(entry));
    if (builder && builder.position > attempt.position) this.note('successor-touched', entry, attempt);
    if (entry.effect === 'removed' && (entry.unitGeneration ?? 0) > entry.caller.generation)
      this.note('higher-generation-removed', entry, attempt);
  }

  private isLaterBuilder(entry: JournalEntry, attempt: Attempt): boolean {
    const builder = this.builtBy.get(unitOf(entry));
    return builder !== undefined && builder.position > attempt.position;
  }

  private isTimely(entry: JournalEntry): boolean {
    const end = this.claims.sessionEnds.get(this.attemptOf(entry)?.session ?? '');
    return end === undefined || entry.at <= end;
  }

  private attemptOf({ caller }: JournalEntry): Attempt | undefined {
    return this.claims.find(caller.taskId, caller.attempt);
  }

  private note(promise: PromiseName, entry: JournalEntry, attempt?: Attempt): void {
    const by = attempt
      ? describeAttempt(attempt)
      : `${entry.caller.operation} of ${entry.caller.conductor ?? 'an unknown caller'}`;
    const detail = `${entry.effect ?? ''} ${unitOf(entry)} g${entry.unitGeneration ?? 0} at ${entry.at} by ${by}`;
    this.broken.push({ promise, resource: resourceOf(entry), detail });
  }
}

/** Returns the resource of a journal entry, for example `node/<id>`. */
export function resourceOf({ kind, resourceId = '' }: JournalEntry): string {
  return `${kind ?? ''}/${resourceId}`;
}

/** Returns whether the orphan sweep made the call. */
export function isSweep({ caller }: JournalEntry): boolean {
  return caller.taskId.startsWith('sweep:');
}

function unitOf({ unit = '' }: JournalEntry): string {
  return unit;
}

import { isExistingDay, RefusedError } from '@stave/contracts';
import { notFound } from '@stave/domain';
import { badCursor } from '../read-models/list-cursor.js';

/** Selects a past state: an instant (ISO 8601, UTC, milliseconds), a revision of the resource, or its last state. */
export type Moment =
  | { readonly kind: 'time'; readonly time: string }
  | { readonly kind: 'revision'; readonly revision: number }
  | { readonly kind: 'last' };

const REVISION = /^[0-9]{1,9}$/;
const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/;

/** Returns whether the text is an ISO 8601 time with its zone, or a date, of a day that exists. */
export const isTime = (text: string): boolean =>
  TIME.test(text) && !Number.isNaN(Date.parse(text)) && isExistingDay(text);

function invalidTime(pointer: string, problem: string): RefusedError {
  const code = 'invalid-time';
  const errors = [{ pointer, code, detail: problem }];
  return new RefusedError({ code, kind: 'invalid', detail: `${pointer} ${problem}`, errors });
}

/** Reads a moment. Throws RefusedError `invalid-time`, with `pointer`. */
export function momentOf(text: string, pointer: string): Moment {
  if (REVISION.test(text)) return { kind: 'revision', revision: Number(text) };
  if (isTime(text)) return { kind: 'time', time: new Date(text).toISOString() };
  throw invalidTime(pointer, 'must be a revision or an ISO 8601 time of a day that exists');
}

/** Reads a moment that must be an instant. Throws RefusedError `invalid-time`, with `pointer`. */
export function instantOf(text: string, pointer: string): string {
  if (isTime(text)) return new Date(text).toISOString();
  throw invalidTime(pointer, 'must be an ISO 8601 time of a day that exists');
}

/** The refusal of a moment at which the resource did not exist; `before` is the last revision before the requested one. */
export function notThen(what: string, moment: Moment, pointer: string, before?: number): RefusedError {
  const revision = `${pointer}: ${what} has no ${moment.kind === 'revision' ? `revision ${moment.revision}` : ''}`;
  const details = {
    time: `${pointer}: ${what} did not exist then`,
    revision: before === undefined ? revision : `${revision}, the last before that is ${before}`,
    last: notFound(what).detail,
  };
  return new RefusedError({ ...notFound(what), detail: details[moment.kind] });
}

/** The cursor of a list of the past. A request for a future time shows the present, and the same present on every page. */
export class HistoryCursor {
  readonly time: string;
  readonly listCursor: string | undefined;
  private readonly requestedMs: number;

  /** Throws RefusedError `invalid-cursor` for a cursor of another list or time. */
  constructor(at: string, cursor: string | undefined, now = Date.now()) {
    this.requestedMs = Date.parse(at);
    const latest = Math.min(this.requestedMs, now);
    if (cursor === undefined) {
      this.time = new Date(latest).toISOString();
      return;
    }
    const [, shown = '', requested = '', listCursor] = /^([0-9]{1,15})\.([0-9]{1,15})\.(.+)$/.exec(cursor) ?? [];
    if (listCursor === undefined || Number(requested) !== this.requestedMs || Number(shown) > latest) throw badCursor();
    this.time = new Date(Number(shown)).toISOString();
    this.listCursor = listCursor;
  }

  next(listCursor: string): string {
    return `${Date.parse(this.time)}.${this.requestedMs}.${listCursor}`;
  }
}

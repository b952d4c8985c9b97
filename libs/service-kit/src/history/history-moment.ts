import { RefusedError } from '@stave/contracts';
import { notFoundError } from '../resources/access.js';

/** What a past state is asked by: an instant (ISO 8601, UTC, milliseconds), a revision of the resource, or the last state that it had. */
export type Moment =
  | { readonly kind: 'time'; readonly time: string }
  | { readonly kind: 'revision'; readonly revision: number }
  | { readonly kind: 'last' };

const REVISION = /^[0-9]{1,9}$/;
const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/;

/** `Date` takes the 31st of November for the 1st of December. */
function isDay(text: string): boolean {
  const day = new Date(`${text}T00:00:00.000Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

/** An ISO 8601 date, or a date and time with its zone, of a day that exists. */
export const isTime = (text: string): boolean =>
  TIME.test(text) && !Number.isNaN(Date.parse(text)) && isDay(text.slice(0, 10));

const refused = (pointer: string, detail: string): RefusedError =>
  new RefusedError({
    code: 'invalid-time',
    kind: 'invalid',
    detail: `${pointer} ${detail}`,
    errors: [{ pointer, code: 'invalid-time', detail }],
  });

/** Reads a moment; throws RefusedError (400), naming `pointer`. */
export function momentOf(text: string, pointer: string): Moment {
  if (REVISION.test(text)) return { kind: 'revision', revision: Number(text) };
  if (isTime(text)) return { kind: 'time', time: new Date(text).toISOString() };
  throw refused(pointer, 'must be a revision or an ISO 8601 time of a day that exists');
}

/** As `momentOf`, where only an instant makes sense. */
export function instantOf(text: string, pointer: string): string {
  if (isTime(text)) return new Date(text).toISOString();
  throw refused(pointer, 'must be an ISO 8601 time of a day that exists');
}

/** What is reported of a moment at which there was nothing; `before`: the last revision before the one that was asked for. */
export function notThen(what: string, moment: Moment, pointer: string, before?: number): RefusedError {
  const revision = `${pointer}: ${what} has no ${moment.kind === 'revision' ? `revision ${moment.revision}` : ''}`;
  const details = {
    time: `${pointer}: ${what} did not exist then`,
    revision: before === undefined ? revision : `${revision}, the last before that is ${before}`,
    last: notFoundError(what).detail,
  };
  return new RefusedError({ ...notFoundError(what), detail: details[moment.kind] });
}

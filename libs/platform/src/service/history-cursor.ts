import { badCursor } from './list-cursor.js';

/**
 * A cursor of a list of the past: the instant that is shown, and the place in it. Who asks for a time that has not come yet is shown what is
 * now, on every page the same.
 */
export class HistoryCursor {
  /** What is shown (ISO 8601). */
  readonly time: string;
  /** The cursor within. */
  readonly place: string | undefined;

  /** Throws RefusedError (400) for a cursor of another list. */
  constructor(asked: string, cursor: string | undefined, now = Date.now()) {
    const latest = Date.parse(asked);
    if (cursor === undefined) {
      this.time = new Date(Math.min(latest, now)).toISOString();
      return;
    }
    const [, millis = '', place] = /^([0-9]{1,15})\.(.+)$/.exec(cursor) ?? [];
    if (place === undefined || Number(millis) > Math.min(latest, now)) throw badCursor();
    this.time = new Date(Number(millis)).toISOString();
    this.place = place;
  }

  next(place: string): string {
    return `${Date.parse(this.time)}.${place}`;
  }
}

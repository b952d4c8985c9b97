import { badCursor } from '../read-models/list-cursor.js';

/**
 * A cursor of a list of the past: the instant that is shown, the one that was asked for, and the place. Who asks for a time that has not come yet is shown what is
 * now, on every page the same.
 */
export class HistoryCursor {
  /** What is shown (ISO 8601). */
  readonly time: string;
  /** The cursor within. */
  readonly place: string | undefined;
  private readonly asked: number;

  /** Throws RefusedError (400) for a cursor of another list or time. */
  constructor(at: string, cursor: string | undefined, now = Date.now()) {
    this.asked = Date.parse(at);
    const latest = Math.min(this.asked, now);
    if (cursor === undefined) {
      this.time = new Date(latest).toISOString();
      return;
    }
    const [, millis = '', asked = '', place] = /^([0-9]{1,15})\.([0-9]{1,15})\.(.+)$/.exec(cursor) ?? [];
    if (place === undefined || Number(asked) !== this.asked || Number(millis) > latest) throw badCursor();
    this.time = new Date(Number(millis)).toISOString();
    this.place = place;
  }

  next(place: string): string {
    return `${Date.parse(this.time)}.${this.asked}.${place}`;
  }
}

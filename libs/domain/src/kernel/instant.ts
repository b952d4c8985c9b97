const DAY_MS = 86_400_000;
const FORM = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,3}))?Z$/;

/** The days of 400 years, after which the calendar repeats, and from the year 0 to 1970; years begin in March here. */
const ERA_DAYS = 146_097;
const DAYS_TO_1970 = 719_468;

function daysOf(year: number, month: number, day: number): number {
  const y = month > 2 ? year : year - 1;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const leapDays = Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100);
  return era * ERA_DAYS + yearOfEra * 365 + leapDays + dayOfYear - DAYS_TO_1970;
}

function dateOf(days: number): readonly [year: number, month: number, day: number] {
  const shifted = days + DAYS_TO_1970;
  const era = Math.floor(shifted / ERA_DAYS);
  const dayOfEra = shifted - era * ERA_DAYS;
  const leap = Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leap) / 365);
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const fromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const month = ((fromMarch + 2) % 12) + 1;
  const day = dayOfYear - Math.floor((153 * fromMarch + 2) / 5) + 1;
  return [yearOfEra + era * 400 + (month > 2 ? 0 : 1), month, day];
}

/** Returns the milliseconds since 1970 of an instant as events carry it (ISO 8601 in UTC). Throws RangeError for another form. */
export function instantMs(instant: string): number {
  const parts = FORM.exec(instant);
  if (!parts) throw new RangeError(`not an instant: ${instant}`);
  const [, year, month, day, hours, minutes, seconds, fraction = ''] = parts;
  const ofDay = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
  return daysOf(Number(year), Number(month), Number(day)) * DAY_MS + ofDay + Number(fraction.padEnd(3, '0'));
}

/** Returns the instant of these milliseconds since 1970, of the years 0 to 9999. */
export function instantOf(ms: number): string {
  const days = Math.floor(ms / DAY_MS);
  const rest = Math.floor(ms - days * DAY_MS);
  const two = (value: number): string => String(value).padStart(2, '0');
  const [year, month, day] = dateOf(days);
  const date = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
  const seconds = Math.floor(rest / 1000);
  const time = `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return `${date}T${time}.${String(rest % 1000).padStart(3, '0')}Z`;
}

/** Returns the instant this many seconds after another one. */
export const secondsAfter = (instant: string, seconds: number): string =>
  instantOf(instantMs(instant) + seconds * 1000);

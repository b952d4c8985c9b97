/** A time in days, or with a unit. */
export const KEPT = /^([1-9][0-9]{0,5})(s|m|h|d)?$/;
export const KEPT_RULE = 'takes a time such as 30d or 12h';

const keptUnitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** Returns the milliseconds of a time that matches {@link KEPT}. */
export function keptMs(text: string): number {
  const [, amount, unit = 'd'] = KEPT.exec(text) ?? [];
  return Number(amount) * (keptUnitMs[unit] ?? 86_400_000);
}

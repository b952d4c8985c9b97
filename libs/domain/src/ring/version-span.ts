import { compare, parse } from 'semver';
import { operatedFrom, type DriverVersion } from './version-range.js';

/** A place between two versions: right before or right after this one. */
interface Cut {
  readonly version: string;
  readonly side: 'before' | 'after';
}

/** All versions between two cuts. */
export interface VersionSpan {
  readonly from: Cut;
  readonly to: Cut;
}

const order = (a: Cut, b: Cut): number =>
  compare(a.version, b.version) || Number(a.side === 'after') - Number(b.side === 'after');

/** Returns the recorded versions that a driver version can operate; undefined where it can operate none. */
export function spanOf(offer: DriverVersion): VersionSpan | undefined {
  const oldest = operatedFrom(offer);
  if (oldest === undefined) return undefined;
  const span: VersionSpan = {
    from: { version: oldest, side: 'before' },
    to: { version: offer.version, side: 'after' },
  };
  return order(span.from, span.to) < 0 ? span : undefined;
}

export const covers = (outer: VersionSpan, inner: VersionSpan): boolean =>
  order(outer.from, inner.from) <= 0 && order(inner.to, outer.to) <= 0;

/** Whether the span includes this version; no span includes an invalid one. */
export const includes = (span: VersionSpan, version: string): boolean =>
  parse(version) !== null && covers(span, { from: { version, side: 'before' }, to: { version, side: 'after' } });

/** Whether the second span begins where the first ends. */
export const isAdjacent = (first: VersionSpan, second: VersionSpan): boolean => order(first.to, second.from) === 0;

/** Divides everything between the first and the last version at each end of a span, in order. */
export function divided(spans: readonly VersionSpan[]): readonly VersionSpan[] {
  const cuts = spans.flatMap(({ from, to }) => [from, to]).sort(order);
  return cuts.flatMap((to, i) => {
    const from = cuts[i - 1];
    return from && order(from, to) < 0 ? [{ from, to }] : [];
  });
}

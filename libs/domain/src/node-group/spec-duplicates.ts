import type { Taint } from '@stave/driver-sdk';
import type { Problem } from '../kernel/refusal.js';
import type { ZoneSpec } from './node-group-spec.js';

/** Zones of one name, whatever their regions, and taints of one key and effect: reported at each but the first. */
export function specDuplicates(
  { zones, taints }: { readonly zones?: readonly ZoneSpec[] | null; readonly taints?: readonly Taint[] | null },
  pointer: (attribute: 'zones' | 'taints') => string,
): readonly Problem[] {
  return [
    ...repeated(zones ?? [], pointer('zones'), ({ name }) => `zone ${name}`),
    ...repeated(taints ?? [], pointer('taints'), ({ key, effect }) => `taint ${key} with effect ${effect}`),
  ];
}

function repeated<T>(items: readonly T[], pointer: string, named: (item: T) => string): readonly Problem[] {
  const seen = new Set<string>();
  return items.flatMap((item, i) => {
    const name = named(item);
    if (seen.has(name)) return [{ pointer: `${pointer}/${i}`, code: 'duplicate', detail: `${name} is given twice` }];
    seen.add(name);
    return [];
  });
}

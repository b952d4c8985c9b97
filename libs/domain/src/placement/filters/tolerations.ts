import type { Taint } from '@stave/driver-sdk';
import type { HardTaint, SoftTaint, Toleration } from '../model.js';

const tolerates = ({ key, value, effect }: Toleration, taint: HardTaint | SoftTaint): boolean =>
  key === taint.key &&
  (value === undefined || value === taint.value) &&
  (effect === undefined || effect === taint.effect);

/** Returns the taints that none of the tolerations covers. */
export const untolerated = <T extends HardTaint | SoftTaint>(
  taints: readonly T[] = [],
  tolerations: readonly Toleration[] = [],
): readonly T[] => (taints.length === 0 ? taints : taints.filter(taint => !tolerations.some(t => tolerates(t, taint))));

/** Returns the first taint that drives containers away which run on the node and do not tolerate it. */
export const evictingTaint = (taints: readonly Taint[], tolerations?: readonly Toleration[]): HardTaint | undefined =>
  untolerated(
    taints.filter((taint): taint is HardTaint => taint.effect === 'NoExecute'),
    tolerations,
  )[0];

/** Returns the taint as users write it: key=value:effect. */
export const taintText = ({ key, value, effect }: HardTaint): string =>
  `${key}${value === undefined ? '' : `=${value}`}:${effect}`;

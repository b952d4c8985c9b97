import { alike, exact, named, nullable, primitives as p } from '@stave/contracts/schemas';

const values = nullable(exact({ cpuCores: p.anyNumber, memoryMb: p.anyNumber }));

/** What the samples of a window show. */
export const usageWindow = {
  ...p.integers('window', 'samples'),
  known: p.anyBoolean,
  ...alike(values, 'mean', 'p95', 'max'),
};

const summed = exact({ ...usageWindow, units: p.anyInteger });

/** The usage of a cluster or node group. */
export const usageTotal = named('UsageTotal', exact({ nodes: summed, containers: summed }));

export const windowSeconds = p.whole(1, 3600);

export const windowDescription =
  'What the samples of the last seconds show, which are kept for an hour: `samples` their number, and `mean`, `p95` and `max`, null without a ' +
  'sample. `known` is false where the last sample is too old to show the present: that is neither zero nor idle.';

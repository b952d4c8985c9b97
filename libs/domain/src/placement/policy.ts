import { FILTERS } from './filters/index.js';
import type { PlacementPolicy } from './model.js';

/** Every filter; least CPU, least memory and spread count alike. */
export const DEFAULT_PLACEMENT_POLICY: PlacementPolicy = {
  name: 'default',
  filters: FILTERS.map(filter => filter.code),
  weights: { leastCpu: 1, leastMemory: 1, spread: 1 },
};

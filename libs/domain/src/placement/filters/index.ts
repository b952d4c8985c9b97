import type { Filter } from './filter.js';
import { fitsFilter } from './fits.filter.js';
import { hostNodeFilter } from './host-node.filter.js';
import { labelsFilter } from './labels.filter.js';
import { readyFilter } from './ready.filter.js';
import { regionFilter } from './region.filter.js';
import { schedulableFilter } from './schedulable.filter.js';
import { recentlyRejectedFilter } from './recently-rejected.filter.js';
import { taintsFilter } from './taints.filter.js';
import { zoneFilter } from './zone.filter.js';

/** All filters in the order in which they are asked; room comes last, as it is what changes during a batch. */
export const FILTERS: readonly Filter[] = [
  hostNodeFilter,
  regionFilter,
  zoneFilter,
  labelsFilter,
  taintsFilter,
  readyFilter,
  schedulableFilter,
  recentlyRejectedFilter,
  fitsFilter,
];

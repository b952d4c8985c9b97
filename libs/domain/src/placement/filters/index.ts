import { FILTER_CODES, type PlacementPolicy } from '../model.js';
import { address } from './address.js';
import { affinity } from './affinity.js';
import { antiAffinity } from './anti-affinity.js';
import { avoided } from './avoided.js';
import { hostNode } from './host-node.js';
import { hostPort } from './host-port.js';
import { labels } from './labels.js';
import { networkDriver } from './network-driver.js';
import { placementLists } from './placement-lists.js';
import { ready } from './ready.js';
import { region } from './region.js';
import { room } from './room.js';
import { schedulable } from './schedulable.js';
import { spreadExceeded } from './spread-exceeded.js';
import { taints } from './taints.js';
import { utilisationHigh } from './utilisation-high.js';
import { utilisationUnknown } from './utilisation-unknown.js';
import { volumeDriver } from './volume-driver.js';
import { volumeElsewhere } from './volume-elsewhere.js';
import { volumeInUse } from './volume-in-use.js';
import { volumeLost } from './volume-lost.js';
import { zone } from './zone.js';
import type { Filter } from './filter.js';

export type { Filter } from './filter.js';

/** All filters in the order in which they are asked: what follows from the request first, what changes during a batch last. */
export const FILTERS: readonly Filter[] = [
  hostNode,
  region,
  zone,
  labels,
  taints,
  placementLists,
  ready,
  schedulable,
  networkDriver,
  volumeDriver,
  volumeElsewhere,
  volumeLost,
  volumeInUse,
  address,
  affinity,
  antiAffinity,
  utilisationHigh,
  utilisationUnknown,
  avoided,
  spreadExceeded,
  hostPort,
  room,
];

/** The policy with every filter. */
export const DEFAULT_PLACEMENT_POLICY: PlacementPolicy = {
  name: 'default',
  filters: FILTER_CODES,
  weights: { leastCpu: 1, leastMemory: 1, spread: 1, affinity: 1, untainted: 1 },
};

import type { PlacementRequest, PlacementRules } from '../model.js';

/** Whether the policies of the request limit the use of the node. */
export const hasUseLimit = ({ placement }: PlacementRequest): boolean =>
  placement?.maxCpuUse !== undefined || placement?.maxMemoryUse !== undefined;

const DEFAULT_WINDOW_SECONDS = 60;

/** Returns the window over which the policies of the request average the use of nodes. */
export const useWindowOf = ({ placement }: PlacementRequest): number =>
  placement?.windowSeconds ?? DEFAULT_WINDOW_SECONDS;

/** Returns the limits of the use for users. */
export const limitText = ({ maxCpuUse, maxMemoryUse }: PlacementRules = {}): string =>
  [
    ...(maxCpuUse === undefined ? [] : [`${Math.round(100 * maxCpuUse)} % of its CPUs`]),
    ...(maxMemoryUse === undefined ? [] : [`${Math.round(100 * maxMemoryUse)} % of its memory`]),
  ].join(' and ');

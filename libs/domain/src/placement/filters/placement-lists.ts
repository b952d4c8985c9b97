import { byView, type Filter } from './filter.js';
import { isNode, isRegion, isZone } from '../listed-places.js';
import type { NodeView, WeightedPlaces } from '../model.js';

/** Whether the lists exclude the node: by weight 0, or because they are strict and do not contain it. */
function excludes({ nodes = [], zones = [], regions = [], strict = true }: WeightedPlaces, node: NodeView): boolean {
  const lists = [
    nodes.map(entry => ({ ...entry, matches: isNode(entry, node) })),
    zones.map(entry => ({ ...entry, matches: isZone(entry, node) })),
    regions.map(entry => ({ ...entry, matches: isRegion(entry, node) })),
  ];
  return lists.some(list => {
    if (list.some(({ matches, weight = 100 }) => matches && weight === 0)) return true;
    const isAllowList = strict && list.some(({ weight = 100 }) => weight > 0);
    return isAllowList && !list.some(({ matches }) => matches);
  });
}

export const placementLists: Filter = {
  code: 'NOT_IN_PLACEMENT',
  isFixed: true,
  applies: ({ placement }) => placement !== undefined,
  refuses: byView(({ placement = {} }, node) =>
    [placement, ...(placement.restrictions ?? [])].some(places => excludes(places, node)),
  ),
  sentence: () => 'The placement policy does not allow the node, its zone or its region.',
  remedy: (_request, node) => ({
    cost: 5,
    sentence: `list node ${node.name}, its zone and region in the placement policy`,
  }),
};

import { byView, type Filter } from './filter.js';

/** Nodes whose infrastructure had no room for this very container a moment ago, whatever the books say. */
export const recentlyRejectedFilter: Filter = {
  code: 'NO_ROOM_FOUND',
  applies: request => (request.avoid ?? []).length > 0,
  refuses: byView(({ avoid = [] }, node) => avoid.includes(node.id)),
  sentence: () => 'Its infrastructure had no room for this container; it is tried again later.',
  remedy: (_request, node) => ({ cost: 5, sentence: `make room on the infrastructure of node ${node.name}` }),
};

import { type Filter } from './filter.js';

export const avoided: Filter = {
  code: 'NO_ROOM_FOUND',
  isFixed: true,
  applies: request => (request.avoid ?? []).length > 0,
  refuses: (request, { views }) => {
    const avoid = new Set(request.avoid);
    return node => avoid.has(views[node]?.id ?? '');
  },
  sentence: () => 'Its infrastructure had no room for this container; it is tried again later.',
  remedy: (_request, node) => ({ cost: 5, sentence: `make room on the infrastructure of node ${node.name}` }),
};

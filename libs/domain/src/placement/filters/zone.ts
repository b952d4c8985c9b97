import { byView, type Filter } from './filter.js';

export const zone: Filter = {
  code: 'ZONE_MISMATCH',
  isFixed: true,
  applies: request => request.zone !== undefined,
  refuses: byView((request, node) => node.zone !== request.zone),
  sentence: request => `The node is not in zone ${request.zone}.`,
  remedy: (_request, node) => ({ cost: 5, sentence: `allow zone ${node.zone ?? '(none)'}` }),
};

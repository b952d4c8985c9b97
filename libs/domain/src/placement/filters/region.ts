import { byView, type Filter } from './filter.js';

export const region: Filter = {
  code: 'REGION_MISMATCH',
  isFixed: true,
  applies: request => request.region !== undefined,
  refuses: byView((request, node) => node.region !== request.region),
  sentence: request => `The node is not in region ${request.region}.`,
  remedy: (_request, node) => ({ cost: 6, sentence: `allow region ${node.region ?? '(none)'}` }),
};

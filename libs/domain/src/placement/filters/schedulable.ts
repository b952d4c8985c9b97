import { byView, type Filter } from './filter.js';

export const schedulable: Filter = {
  code: 'NODE_NOT_SCHEDULABLE',
  isFixed: true,
  applies: () => true,
  refuses: byView((_request, node) => !node.schedulable),
  sentence: () => 'The node is cordoned or draining.',
  remedy: (_request, node) => ({ cost: 1, sentence: `make node ${node.name} schedulable again` }),
};

import { byView, type Filter } from './filter.js';

export const ready: Filter = {
  code: 'NODE_NOT_READY',
  isFixed: true,
  applies: () => true,
  refuses: byView((_request, node) => !node.ready),
  sentence: () => 'The node is not ready.',
  remedy: (_request, node) => ({ cost: 3, sentence: `bring node ${node.name} back to ready` }),
};

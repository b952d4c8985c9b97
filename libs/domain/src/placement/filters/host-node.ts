import { byView, type Filter } from './filter.js';

export const hostNode: Filter = {
  code: 'NOT_HOST_NODE',
  isFixed: true,
  applies: request => request.hostNode !== undefined,
  refuses: byView(({ hostNode: wanted }, node) => node.id !== wanted && node.name !== wanted),
  sentence: request => `The request asks for the node ${request.hostNode}.`,
  remedy: () => ({ cost: 10, sentence: 'ask for no certain node (hostNode)' }),
};

import { byView, type Filter } from './filter.js';

export const hostNodeFilter: Filter = {
  code: 'NOT_HOST_NODE',
  applies: request => request.hostNode !== undefined,
  refuses: byView(({ hostNode }, node) => node.id !== hostNode && node.name !== hostNode),
  sentence: request => `The request asks for the node ${request.hostNode}.`,
  remedy: () => ({ cost: 10, sentence: 'ask for no certain node (hostNode)' }),
};

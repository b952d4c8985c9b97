import { byView, type Filter } from './filter.js';
import { taintText, untolerated } from './tolerations.js';

export const taints: Filter = {
  code: 'TAINT_NOT_TOLERATED',
  isFixed: true,
  applies: () => true,
  refuses: byView((request, node) => untolerated(node.taints, request.tolerations).length > 0),
  sentence: () => 'The node has a taint that the request does not tolerate.',
  remedy: (request, node) => {
    const left = untolerated(node.taints, request.tolerations);
    return { cost: left.length, sentence: `tolerate ${left.map(taintText).join(', ')} of node ${node.name}` };
  },
};

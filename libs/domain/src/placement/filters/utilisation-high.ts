import type { Filter } from './filter.js';
import { hasUseLimit, limitText, useWindowOf } from './use-limits.js';

export const utilisationHigh: Filter = {
  code: 'UTILISATION_TOO_HIGH',
  isFixed: false,
  applies: hasUseLimit,
  refuses: (request, table) => {
    const { maxCpuUse = Infinity, maxMemoryUse = Infinity } = request.placement ?? {};
    const window = useWindowOf(request);
    return node => {
      const { cpu = 0, memory = 0 } = table.use(node, window);
      return cpu > maxCpuUse || memory > maxMemoryUse;
    };
  },
  sentence: ({ placement }) => `The node uses more than it may: ${limitText(placement)}.`,
  remedy: (_request, node) => ({ cost: 5, sentence: `wait until node ${node.name} is less used, or raise the limit` }),
};

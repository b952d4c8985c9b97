import type { Filter } from './filter.js';
import { hasUseLimit, limitText, useWindowOf } from './use-limits.js';

export const utilisationUnknown: Filter = {
  code: 'UTILISATION_UNKNOWN',
  isFixed: false,
  applies: request => hasUseLimit(request) && request.placement?.whenUnknown === 'refuse',
  refuses: (request, table) => {
    const { maxCpuUse, maxMemoryUse } = request.placement ?? {};
    const window = useWindowOf(request);
    return node => {
      const { cpu, memory } = table.use(node, window);
      return (maxCpuUse !== undefined && cpu === undefined) || (maxMemoryUse !== undefined && memory === undefined);
    };
  },
  sentence: ({ placement }) => `The use of the node is not known, but limited: ${limitText(placement)}.`,
  remedy: (_request, node) => ({ cost: 5, sentence: `bring back the monitoring of node ${node.name}` }),
};

import { byView, type Filter } from './filter.js';
import { hasUseLimit, limitText } from './use-limits.js';

export const utilisationUnknown: Filter = {
  code: 'UTILISATION_UNKNOWN',
  isFixed: false,
  applies: request => hasUseLimit(request) && request.placement?.whenUnknown === 'refuse',
  refuses: byView(({ placement }, { use }) => {
    const { maxCpuUse, maxMemoryUse } = placement ?? {};
    return (
      (maxCpuUse !== undefined && use?.cpu === undefined) || (maxMemoryUse !== undefined && use?.memory === undefined)
    );
  }),
  sentence: ({ placement }) => `The use of the node is not known, but limited: ${limitText(placement)}.`,
  remedy: (_request, node) => ({ cost: 5, sentence: `bring back the monitoring of node ${node.name}` }),
};

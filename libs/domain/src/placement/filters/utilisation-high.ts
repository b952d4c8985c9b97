import { byView, type Filter } from './filter.js';
import { hasUseLimit, limitText } from './use-limits.js';

export const utilisationHigh: Filter = {
  code: 'UTILISATION_TOO_HIGH',
  isFixed: false,
  applies: hasUseLimit,
  refuses: byView(({ placement }, { use }) => {
    const { maxCpuUse = 1, maxMemoryUse = 1 } = placement ?? {};
    return (use?.cpu ?? 0) > maxCpuUse || (use?.memory ?? 0) > maxMemoryUse;
  }),
  sentence: ({ placement }) => `The node uses more than it may: ${limitText(placement)}.`,
  remedy: (_request, node) => ({ cost: 5, sentence: `wait until node ${node.name} is less used, or raise the limit` }),
};

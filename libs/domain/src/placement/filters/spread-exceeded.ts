import { type Filter } from './filter.js';
import { spreadConstraints } from '../spread.js';

export const spreadExceeded: Filter = {
  code: 'SPREAD_EXCEEDED',
  isFixed: false,
  applies: ({ spread = [] }) => spread.some(({ mode = 'hard' }) => mode === 'hard'),
  refuses: (request, table, isOpen = () => true) => {
    const constraints = spreadConstraints(request, table);
    for (let node = 0; node < table.size; node += 1)
      if (isOpen(node)) for (const { observe, topology } of constraints) observe(topology.of[node] ?? 0);
    return node => constraints.some(({ topology, wouldRefuse }) => wouldRefuse(topology.of[node] ?? 0));
  },
  sentence: ({ spread = [] }) =>
    `One more here would be too many next to the least filled: ${spread.map(({ by, maxSkew = 1 }) => `by ${by}, skew ${maxSkew}`).join('; ')}.`,
  remedy: () => ({ cost: 4, sentence: 'raise maxSkew of the spread, or make it soft' }),
};

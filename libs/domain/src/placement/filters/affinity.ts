import { type Filter } from './filter.js';
import { togetherConstraints } from '../affinity.js';

const hasHardRules: Filter['applies'] = ({ affinity: rules = [] }) =>
  rules.some(({ kind, mode = 'hard' }) => kind === 'together' && mode === 'hard');

export const affinity: Filter = {
  code: 'AFFINITY',
  isFixed: false,
  applies: hasHardRules,
  refuses: (request, table) => {
    const constraints = togetherConstraints(request, table);
    return node => constraints.some(({ topology, refuses }) => refuses(topology.of[node] ?? 0));
  },
  sentence: () => 'The node is not where the containers are that the request must be together with.',
  remedy: () => ({ cost: 4, sentence: 'drop the rule of affinity' }),
};

import { type Filter } from './filter.js';
import { apartConstraints } from '../affinity.js';

export const antiAffinity: Filter = {
  code: 'ANTI_AFFINITY',
  isFixed: false,
  applies: () => true,
  refuses: (request, table) => {
    const constraints = apartConstraints(request, table);
    return node => constraints.some(({ topology, refuses }) => refuses(topology.of[node] ?? 0));
  },
  sentence: () => 'Containers that must be apart from this one are in the same place.',
  remedy: (_request, node) => ({
    cost: 4,
    sentence: `move the containers away that exclude it from node ${node.name}`,
  }),
};

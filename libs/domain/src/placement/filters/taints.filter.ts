import type { HardTaint, Toleration } from '../model.js';
import { byView, type Filter } from './filter.js';

function tolerates(toleration: Toleration, taint: HardTaint): boolean {
  return (
    toleration.key === taint.key &&
    (toleration.value === undefined || toleration.value === taint.value) &&
    (toleration.effect === undefined || toleration.effect === taint.effect)
  );
}

function untolerated(taints: readonly HardTaint[], tolerations: readonly Toleration[] = []): readonly HardTaint[] {
  if (taints.length === 0) return taints;
  return taints.filter(taint => !tolerations.some(toleration => tolerates(toleration, taint)));
}

const shown = ({ key, value, effect }: HardTaint): string =>
  `${key}${value === undefined ? '' : `=${value}`}:${effect}`;

export const taintsFilter: Filter = {
  code: 'TAINT_NOT_TOLERATED',
  applies: () => true,
  refuses: byView((request, node) => untolerated(node.taints, request.tolerations).length > 0),
  sentence: () => 'The node has a taint that the request does not tolerate.',
  remedy: (request, node) => {
    const taints = untolerated(node.taints, request.tolerations);
    return { cost: taints.length, sentence: `tolerate ${taints.map(shown).join(', ')} of node ${node.name}` };
  },
};

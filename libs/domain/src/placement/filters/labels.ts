import { type Filter } from './filter.js';
import type { Labels } from '../model.js';

const lackingLabels = (wanted: Labels = {}, has: Labels): readonly [string, string][] =>
  Object.entries(wanted).filter(([name, value]) => !Object.hasOwn(has, name) || has[name] !== value);

const labelList = (list: readonly [string, string][]): string =>
  list.map(([name, value]) => `${name}=${value}`).join(', ');

export const labels: Filter = {
  code: 'LABELS_MISMATCH',
  isFixed: true,
  applies: request => Object.keys(request.nodeSelector ?? {}).length > 0,
  refuses: (request, { views }) => {
    const wanted = Object.entries(request.nodeSelector ?? {});
    return node => {
      const has = views[node]?.labels ?? {};
      return wanted.some(([name, value]) => !Object.hasOwn(has, name) || has[name] !== value);
    };
  },
  sentence: request => `The node lacks a label of ${labelList(Object.entries(request.nodeSelector ?? {}))}.`,
  remedy: (request, node) => {
    const lacking = lackingLabels(request.nodeSelector, node.labels);
    return { cost: lacking.length, sentence: `label node ${node.name} with ${labelList(lacking)}` };
  },
};

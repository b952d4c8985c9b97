import type { Labels } from '../model.js';
import type { Filter } from './filter.js';

function missing(wanted: Labels, labels: Labels): [string, string][] {
  return Object.entries(wanted).filter(([name, value]) => !Object.hasOwn(labels, name) || labels[name] !== value);
}

const shown = (labels: readonly [string, string][]): string =>
  labels.map(([name, value]) => `${name}=${value}`).join(', ');

export const labelsFilter: Filter = {
  code: 'LABELS_MISMATCH',
  applies: request => Object.keys(request.nodeSelector ?? {}).length > 0,
  refuses: (request, { views }) => {
    const wanted = Object.entries(request.nodeSelector ?? {});
    return node => {
      const labels = views[node]?.labels ?? {};
      return wanted.some(([name, value]) => !Object.hasOwn(labels, name) || labels[name] !== value);
    };
  },
  sentence: request => `The node lacks a label of ${shown(Object.entries(request.nodeSelector ?? {}))}.`,
  remedy: (request, node) => {
    const absent = missing(request.nodeSelector ?? {}, node.labels);
    return { cost: absent.length, sentence: `label node ${node.name} with ${shown(absent)}` };
  },
};

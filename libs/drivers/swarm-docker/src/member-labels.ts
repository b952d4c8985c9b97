import type { NodeSpec } from '@stave/driver-sdk';
import { label } from './labels.js';

/**
 * Returns the labels of a node in its Swarm: the user's labels and Stave's own, which take precedence. Swarm has no taints: they become
 * labels `stave.taint.<key>` = `<value>:<effect>`, and Stave's scheduler applies them.
 */
export function memberLabels(spec: NodeSpec): Record<string, string> {
  const taints = spec.taints.map(taint => [`stave.taint.${taint.key}`, `${taint.value ?? ''}:${taint.effect}`]);
  return {
    ...spec.cluster.labels,
    ...spec.labels,
    ...Object.fromEntries(taints),
    [label.node]: spec.id,
    [label.nodeGroup]: spec.nodeGroup.id,
    [label.role]: spec.role,
    [label.generation]: String(spec.generation),
    ...(spec.zone !== undefined && { [label.zone]: spec.zone }),
  };
}

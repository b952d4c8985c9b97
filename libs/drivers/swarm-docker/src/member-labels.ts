import type { NodeSpec } from '@stave/driver-sdk';
import { label } from './labels.js';

/**
 * The labels of a node in its Swarm: the user's, and Stave's own, which nobody can override. Swarm has no taints; they are shown as
 * `stave.taint.<key>` = `<value>:<effect>`, and it is Stave's scheduler that heeds them.
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

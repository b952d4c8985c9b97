import type { Labels, NodeSpec } from '@stave/driver-sdk';
import { labelled } from '@stave/docker';

/**
 * Returns the labels of a node in its Swarm: the user's labels and Stave's own, which take precedence. Swarm has no taints: they become
 * labels `stave.taint.<key>` = `<value>:<effect>`, and Stave's scheduler applies them.
 */
export function memberLabels(spec: NodeSpec): Labels {
  const { generation, zone } = spec;
  const taints = spec.taints.map(taint => [`stave.taint.${taint.key}`, `${taint.value ?? ''}:${taint.effect}`]);
  return {
    ...spec.cluster.labels,
    ...spec.labels,
    ...Object.fromEntries(taints),
    ...labelled({ node: spec.id, nodeGroup: spec.nodeGroup.id, role: spec.role, generation, zone }),
  };
}

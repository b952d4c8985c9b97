import { closed, exact, named, nullable, removable, type Properties } from './json-schema.js';
import * as p from './primitives.js';

const headroomMembers = {
  cpus: { type: 'number', minimum: 0, maximum: 4096 },
  memoryMb: p.whole(0, 67_108_864),
  containers: p.whole(0, 1000),
} satisfies Properties;

const members = {
  enabled: p.anyBoolean,
  priority: p.whole(0, 1000),
  cost: { type: 'number', exclusiveMinimum: 0, maximum: 1_000_000 },
  idleSeconds: p.whole(1, 86_400),
  idleThreshold: { type: 'number', minimum: 0, maximum: 1 },
  growSettleSeconds: p.whole(0, 300),
  delayAfterGrowSeconds: p.whole(0, 86_400),
  provisionSeconds: p.whole(10, 86_400),
  maxStep: p.whole(1, 1000),
  manualHoldSeconds: p.whole(0, 86_400),
} satisfies Properties;

/** How a node group follows the containers that wait. What is absent has its default. */
export const nodeGroupAutoscaling = named(
  'NodeGroupAutoscaling',
  closed({ ...members, headroom: closed(headroomMembers) }),
);

/** null restores a default. */
export const nodeGroupAutoscalingChanges = named(
  'NodeGroupAutoscalingChanges',
  closed({ ...removable(members), headroom: nullable(closed(removable(headroomMembers))) }),
);

const { cost, ...shown } = members;

/** As a group shows it: complete. */
export const shownNodeGroupAutoscaling = named(
  'ShownNodeGroupAutoscaling',
  exact({ ...shown, headroom: exact(headroomMembers) }, { cost }),
);

import { exact, listOf, named, nullable, oneOf, primitives as p } from '@stave/contracts/schemas';
import type { NodeGroupScalingState, ScaleRefusalCode, ShrinkBlock } from '@stave/domain';
import { unionOf } from './list-fields.js';

const state = unionOf<NodeGroupScalingState>()(
  'disabled',
  'held',
  'paused',
  'scalingOut',
  'scalingIn',
  'resting',
  'quotaLimited',
  'atMax',
  'atMin',
  'steady',
);

const block = unionOf<ShrinkBlock>()(
  'DISABLED',
  'PAUSED',
  'AT_MIN',
  'USED',
  'CANNOT_MOVE',
  'NO_OTHER_PLACE',
  'WOULD_GROW',
  'WAITING',
  'JUST_GREW',
  'NOT_IDLE_LONG',
  'NOT_SIMULATED',
);

const refusal = unionOf<ScaleRefusalCode>()('stale', 'at-max', 'at-min', 'paused', 'rolling', 'quota');

const proposal = exact(
  { id: p.anyString, at: p.dateTime },
  { nodes: { ...p.anyInteger, description: 'nodes to add' }, nodeIds: listOf(p.anyString) },
);

const candidate = exact({
  nodeId: p.anyString,
  name: nullable(p.anyString),
  idleSince: { ...nullable(p.anyString), description: 'since when each evaluation found it not needed' },
  removableAt: { ...nullable(p.anyString), description: 'when that was so for the idle time of the group' },
  blockedBy: listOf(oneOf(...(block['enum'] as readonly string[]))),
});

/** How a node group follows what waits and what is idle now. */
export const nodeGroupAutoscalingNow = named(
  'NodeGroupAutoscalingNow',
  exact(
    {
      state,
      ...p.integers('count', 'minCount', 'upcoming'),
      proposal: nullable(proposal),
      candidates: listOf(candidate, { maxItems: 100 }),
      backoff: nullable(exact({ failures: p.anyInteger, until: p.dateTime, isOver: p.anyBoolean })),
      lastRefusal: nullable(exact({ code: refusal, at: p.dateTime })),
    },
    { maxCount: p.anyInteger, heldUntil: p.dateTime },
  ),
);

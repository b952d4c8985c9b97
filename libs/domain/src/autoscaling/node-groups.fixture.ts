import { place as placeOn, type NodeView, type PlacementRequest } from '../placement/index.js';
import { node, request } from '../placement/placement.fixture.js';
import { defaultNodeGroupAutoscaling, type Place, type ScaledGroup } from './node-group-autoscaling.js';

export const NOW = 10_000_000;

/** Places by the engine with its default policy. */
export const place: Place = (nodes, requests) =>
  placeOn(nodes, requests).map(d => ({
    requestId: d.requestId,
    placed: d.placed,
    ...(d.placed ? { nodeId: d.nodeId } : {}),
  }));

export interface Group extends Partial<Omit<ScaledGroup, 'autoscaling'>> {
  readonly cpus?: number;
  readonly labels?: NodeView['labels'];
  readonly taints?: NodeView['taints'];
  readonly zones?: readonly string[];
  readonly auto?: Partial<ScaledGroup['autoscaling']>;
}

/** A group without nodes that may have ten, of 4 CPUs and 8,000 MB each by default. */
export function group({ cpus = 4, labels = {}, taints = [], zones = [], auto, ...more }: Group = {}): ScaledGroup {
  const { id = 'g', count = 0 } = more;
  return {
    id,
    name: id,
    count,
    minCount: 0,
    maxCount: 10,
    autoscaling: { ...defaultNodeGroupAutoscaling, enabled: true, ...auto },
    nextNode: n => {
      const zone = zones[(count + n) % Math.max(1, zones.length)];
      const name = `${id}-new-${n}`;
      const capacity = { cpus, memoryMb: cpus * 2000 };
      return node({
        id: name,
        name,
        nodeGroupId: id,
        labels,
        taints,
        capacity,
        ...(zone === undefined ? {} : { zone }),
      });
    },
    ...more,
  };
}

export const waiting = (count: number, more: Partial<PlacementRequest> = {}): readonly PlacementRequest[] =>
  Array.from({ length: count }, (_, i) => request({ id: `w${i}`, ...more }));

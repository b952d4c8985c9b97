import { milli } from '../milli.js';
import type { HeldContainers, NodeView, PlacementRequest, RequestedVolume } from '../model.js';
import { kindOf } from '../node-contents.js';
import type { Change, ExplainInput, GrowableGroup, RemedyAction } from './model.js';

export const uncordon = ({ id, name }: NodeView): Change => ({
  code: 'NODE_NOT_SCHEDULABLE',
  id: `uncordon ${id}`,
  cost: 1,
  sentence: `uncordon node ${name}`,
  actions: [{ method: 'POST', path: `/v1/nodes/${id}/actions/uncordon` }],
  nodeId: id,
  node: view => ({ ...view, schedulable: true }),
});

/** Returns the changes that give the group so many more nodes; undefined when it cannot grow. */
export function growBy(group: GrowableGroup, nodes = 1): readonly Change[] | undefined {
  const { id, name, node, later, count, maxCount = Infinity, isAutoscaled, blocked } = group;
  if (blocked !== undefined && !blocked.isOpenToUsers) return undefined;
  const path = `/v1/node-groups/${id}`;
  const after = count + nodes;
  const nth = (n: number): NodeView => later?.(n) ?? { ...node, id: `${node.id}-${n}`, name: `${node.name}-${n}` };
  const adds = [node, ...Array.from({ length: nodes - 1 }, (_, i) => nth(i + 1))];
  const more = { adds, more: () => growBy(group, nodes + 1) };
  const raise: Change = {
    code: 'INSUFFICIENT_ROOM',
    id: `raise ${id} to ${after}`,
    cost: 2,
    sentence: `raise maxCount of node group ${name} to ${after}`,
    actions: [{ method: 'PATCH', path, body: { maxCount: after } }],
  };
  // an autoscaled group grows by itself once it may
  if (isAutoscaled && blocked === undefined && after > maxCount) return [{ ...raise, ...more }];
  const grow: Change = {
    code: 'INSUFFICIENT_ROOM',
    id: `grow ${id} to ${after}`,
    cost: 3 * nodes,
    sentence: `resize node group ${name} to ${after}`,
    actions: [{ method: 'POST', path: `${path}/actions/resize`, body: { count: after } }],
    ...more,
  };
  return after <= maxCount ? [grow] : [raise, grow];
}

export const rebind = ({ name, id = name }: RequestedVolume): Change => ({
  code: 'VOLUME_NODE_LOST',
  id: `rebind ${name}`,
  cost: 50,
  sentence: `forget the data of volume ${name}`,
  actions: [{ method: 'POST', path: `/v1/volumes/${id}/actions/rebind`, body: { discardData: true } }],
  request: request => ({
    ...request,
    volumes: (request.volumes ?? []).map(volume => {
      const { nodeId: _node, lost: _lost, ...kept } = volume;
      return volume.name === name ? kept : volume;
    }),
  }),
});

function withoutKind(held: readonly HeldContainers[], request: PlacementRequest): readonly HeldContainers[] {
  const kind = JSON.stringify(kindOf(request));
  const at = held.findIndex(entry => JSON.stringify(entry.kind) === kind);
  return held.flatMap((entry, i) => {
    if (i !== at) return [entry];
    const { leaving = 0 } = entry;
    return entry.count > 1 ? [{ ...entry, count: entry.count - 1, leaving: Math.max(0, leaving - 1) }] : [];
  });
}

/** The node without a container. */
export function without(view: NodeView, { cpus, memoryMb, hostPorts = [], ...request }: PlacementRequest): NodeView {
  const { allocated, held = [], hostPorts: taken = [] } = view;
  return {
    ...view,
    allocated: {
      cpus: (milli(allocated.cpus) - milli(cpus)) / 1000,
      memoryMb: allocated.memoryMb - memoryMb,
    },
    containers: view.containers - 1,
    held: withoutKind(held, { cpus, memoryMb, ...request }),
    hostPorts: taken.filter(own => !hostPorts.some(p => p.port === own.port && p.protocol === own.protocol)),
  };
}

/** Lets the set of the request have one member less for a while, so that the request gets the place of its predecessor. */
export const allowMissing = (
  { id, name }: NodeView,
  { request, actions }: NonNullable<ExplainInput['predecessor']>,
): Change => ({
  code: 'INSUFFICIENT_ROOM',
  id: `maxUnavailable 1 on ${id}`,
  cost: 2,
  sentence: `let one member be missing (maxUnavailable 1), so that its predecessor on node ${name} goes first`,
  actions,
  nodeId: id,
  node: view => without(view, request),
});

/** Moves containers from a node to others. */
export const moveFrom = (
  { id, name }: NodeView,
  moves: readonly PlacementRequest[],
  actions: readonly RemedyAction[],
): Change => ({
  code: 'INSUFFICIENT_ROOM',
  id: `move ${moves.map(moved => moved.id).join()}`,
  cost: 4 + moves.length,
  sentence: `move ${moves.length} ${moves.length === 1 ? 'container' : 'containers'} from node ${name}`,
  actions,
  nodeId: id,
  node: view => moves.reduce(without, view),
  moves,
});

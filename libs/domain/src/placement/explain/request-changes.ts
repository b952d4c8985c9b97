import { amountText } from '../filters/room.js';
import { taintText, untolerated } from '../filters/tolerations.js';
import type { HostPort, NodeView, PlacementRequest } from '../model.js';
import type { Change } from './model.js';

const CONSTRAINT = 2;

/** Removes one own constraint. */
const drop = (code: Change['code'], id: string, sentence: string, request: Change['request']): Change => ({
  code,
  id,
  cost: CONSTRAINT,
  sentence,
  ...(request && { request }),
});

const without = <M extends keyof PlacementRequest>(request: PlacementRequest, member: M): PlacementRequest => {
  const { [member]: _dropped, ...rest } = request;
  return rest as PlacementRequest;
};

export const dropHostNode = drop('NOT_HOST_NODE', 'drop hostNode', 'ask for no certain node', r =>
  without(r, 'hostNode'),
);
export const dropRegion = drop('REGION_MISMATCH', 'drop region', 'ask for no certain region', r =>
  without(r, 'region'),
);
export const dropZone = drop('ZONE_MISMATCH', 'drop zone', 'ask for no certain zone', r => without(r, 'zone'));

/** Removes the keys of the selector that the node does not match, each a change of its own. */
export const dropLabels = ({ nodeSelector = {} }: PlacementRequest, { labels }: NodeView): readonly Change[] =>
  Object.entries(nodeSelector)
    .filter(([key, value]) => !Object.hasOwn(labels, key) || labels[key] !== value)
    .map(([key, value]) =>
      drop('LABELS_MISMATCH', `drop label ${key}`, `do not ask for the label ${key}=${value}`, request => ({
        ...request,
        nodeSelector: Object.fromEntries(Object.entries(request.nodeSelector ?? {}).filter(([name]) => name !== key)),
      })),
    );

export const addTolerations = ({ tolerations }: PlacementRequest, { taints }: NodeView): readonly Change[] =>
  untolerated(taints, tolerations).map(({ key, value, effect }) =>
    drop(
      'TAINT_NOT_TOLERATED',
      `tolerate ${taintText({ key, effect, ...(value !== undefined && { value }) })}`,
      `tolerate the taint ${taintText({ key, effect, ...(value !== undefined && { value }) })}`,
      request => ({
        ...request,
        tolerations: [...(request.tolerations ?? []), { key, effect, ...(value !== undefined && { value }) }],
      }),
    ),
  );

/** Removes a rule by its identity, so that several can be removed. */
export const dropAffinity = (
  code: 'AFFINITY' | 'ANTI_AFFINITY',
  rule: NonNullable<PlacementRequest['affinity']>[number],
  at: number,
): Change =>
  drop(code, `drop affinity ${at}`, `drop its hard rule to be ${rule.kind} by ${rule.by}`, request => ({
    ...request,
    affinity: (request.affinity ?? []).filter(other => other !== rule),
  }));

export const dropSpread = (rule: NonNullable<PlacementRequest['spread']>[number], at: number): Change =>
  drop('SPREAD_EXCEEDED', `drop spread ${at}`, `drop its hard spread by ${rule.by}`, request => ({
    ...request,
    spread: (request.spread ?? []).filter(other => other !== rule),
  }));

export const otherHostPort = ({ port, protocol }: HostPort): Change =>
  drop(
    'HOST_PORT_TAKEN',
    `free port ${port}/${protocol}`,
    `take any free host port for ${port}/${protocol}`,
    request => ({
      ...request,
      hostPorts: (request.hostPorts ?? []).map(own =>
        own.port === port && own.protocol === protocol ? { port: 0, protocol } : own,
      ),
    }),
  );

/** Returns the larger of the shares of CPUs and memory that the request gives away where it has only so much. */
export function lostShare(request: PlacementRequest, cpus: number, memoryMb: number): number {
  const lost = (wanted: number, left: number): number => (wanted > left ? (wanted - left) / wanted : 0);
  return Math.max(lost(request.cpus, cpus), lost(request.memoryMb, memoryMb));
}

export const lowerCost = (share: number): number => 2 + 4 * share;

/** Lowers the request to what is free. */
export function lowerTo(request: PlacementRequest, cpus: number, memoryMb: number): Change {
  const [lowerCpus, lowerMemory] = [Math.min(request.cpus, cpus), Math.min(request.memoryMb, memoryMb)];
  return {
    code: 'INSUFFICIENT_ROOM',
    id: `lower to ${lowerCpus} ${lowerMemory}`,
    cost: lowerCost(lostShare(request, cpus, memoryMb)),
    // few are shown of many that are compared
    get sentence() {
      return `ask for ${amountText({ cpus: lowerCpus, memoryMb: lowerMemory }, 'and')} only`;
    },
    request: asked => ({ ...asked, cpus: lowerCpus, memoryMb: lowerMemory }),
  };
}

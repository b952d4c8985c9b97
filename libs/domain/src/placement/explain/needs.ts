import { apartConstraints, togetherConstraints } from '../affinity.js';
import { FILTERS } from '../filters/index.js';
import { portKey } from '../host-ports.js';
import { milli } from '../milli.js';
import type { FilterCode, NodeView, PlacementRequest } from '../model.js';
import type { NodeTable } from '../node-table.js';
import type { SpreadConstraint } from '../spread.js';
import type { Constraint } from '../topology.js';
import type { Change } from './model.js';
import { rebind, uncordon } from './node-changes.js';
import {
  addTolerations,
  dropAffinity,
  dropHostNode,
  dropLabels,
  dropRegion,
  dropSpread,
  dropZone,
  otherHostPort,
} from './request-changes.js';

/** A remedy has at most so many changes. */
export const MOST_CHANGES = 3;

/** What has to change so that a node can take the request. */
export interface Needs {
  readonly changes: readonly Change[];
  /** Whether the node lacks resources as well. */
  readonly lacksRoom: boolean;
}

/** Filters whose refusal no change of a remedy removes. */
const FINAL: ReadonlySet<FilterCode> = new Set([
  'NOT_IN_PLACEMENT',
  'NODE_NOT_READY',
  'NETWORK_DRIVER_MISSING',
  'VOLUME_DRIVER_MISSING',
  'VOLUME_IN_USE',
  'ADDRESS_TAKEN',
  'UTILISATION_TOO_HIGH',
  'UTILISATION_UNKNOWN',
  'NO_ROOM_FOUND',
]);

function rebinds({ volumes = [] }: PlacementRequest, { id }: NodeView): readonly Change[] {
  return volumes
    .filter(({ scope, lost, nodeId, attachedTo = [] }) => {
      const isElsewhere = scope === 'node' && nodeId !== undefined && nodeId !== id;
      return (lost === true || isElsewhere) && attachedTo.length === 0;
    })
    .map(rebind);
}

const isHeld = ({ volumes = [] }: PlacementRequest, { id }: NodeView, freed: number): boolean =>
  volumes.filter(
    ({ scope, lost, nodeId }) => lost === true || (scope === 'node' && nodeId !== undefined && nodeId !== id),
  ).length > freed;

/** Returns the function that says what a node needs; undefined where nothing helps, or too much is needed. */
export function needsOf(
  request: PlacementRequest,
  table: NodeTable,
  spread: readonly SpreadConstraint[],
): (node: number) => Needs | undefined {
  const final = FILTERS.filter(({ code, applies }) => FINAL.has(code) && applies(request)).map(filter =>
    filter.refuses(request, table),
  );
  const rules: readonly Constraint[] = [...togetherConstraints(request, table), ...apartConstraints(request, table)];
  return node => {
    const view = table.views[node];
    if (view === undefined || final.some(refuses => refuses(node))) return undefined;
    const changes: Change[] = [];
    addMatching(changes, request, view);
    if (!view.schedulable) changes.push(uncordon(view));
    if (request.volumes !== undefined) {
      const freed = rebinds(request, view);
      if (isHeld(request, view, freed.length)) return undefined;
      changes.push(...freed);
    }
    for (const { code, rule, topology, refuses } of rules) {
      if (!refuses(topology.of[node] ?? 0)) continue;
      const own = rule === undefined ? undefined : request.affinity?.[rule];
      if (own === undefined || rule === undefined || code === 'SPREAD_EXCEEDED') return undefined;
      changes.push(dropAffinity(code, own, rule));
    }
    for (const { rule = -1, topology, wouldRefuse } of spread) {
      const own = request.spread?.[rule];
      if (own !== undefined && wouldRefuse(topology.of[node] ?? 0)) changes.push(dropSpread(own, rule));
    }
    for (const host of request.hostPorts ?? [])
      if (host.port !== 0 && table.contents.portsOf(node)?.has(portKey(host)) === true)
        changes.push(otherHostPort(host));
    if (changes.length > MOST_CHANGES) return undefined;
    const lacksRoom =
      (table.freeMilli[node] ?? 0) < milli(request.cpus) || (table.freeMemory[node] ?? 0) < request.memoryMb;
    return lacksRoom && changes.length === MOST_CHANGES ? undefined : { changes, lacksRoom };
  };
}

/** Adds what the request demands of the node itself. */
function addMatching(changes: Change[], request: PlacementRequest, view: NodeView): void {
  const { hostNode, region, zone, nodeSelector } = request;
  if (hostNode !== undefined && hostNode !== view.id && hostNode !== view.name) changes.push(dropHostNode);
  if (region !== undefined && region !== view.region) changes.push(dropRegion);
  if (zone !== undefined && zone !== view.zone) changes.push(dropZone);
  if (nodeSelector !== undefined) changes.push(...dropLabels(request, view));
  if (view.taints.length > 0) changes.push(...addTolerations(request, view));
}

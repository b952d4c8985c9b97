import type { NodeView, PlacementRequest } from '../placement/index.js';
import { labelsAskedFor, type GroupKinds } from './group-kinds.js';
import { improvedGrowth, type GrowingGroup } from './improved-growth.js';
import { placedOf, roomOf, type Place, type ScaledGroup } from './node-group-autoscaling.js';

export interface GrowthProposal {
  readonly groupId: string;
  readonly nodes: number;
  /** The requests that have a place with it. */
  readonly places: readonly string[];
}

interface ProposedGrowth {
  /** Nodes there that may take a request. */
  readonly nodes: readonly NodeView[];
  readonly wanted: readonly PlacementRequest[];
  /** The ids of the requests that have a place on them. */
  readonly there: ReadonlySet<string>;
  /** All groups that may grow, without what is proposed. */
  readonly groups: readonly ScaledGroup[];
  readonly kinds: GroupKinds;
  readonly proposals: ReadonlyMap<string, GrowthProposal>;
  /** What has no place with the proposals. */
  readonly rest: readonly PlacementRequest[];
  readonly place: Place;
}

/** Returns the groups that grow, then the first of each other kind, then those that are like another one; the highest priority first. */
function exchangeable(
  groups: readonly ScaledGroup[],
  groupKinds: GroupKinds,
  proposals: ReadonlyMap<string, GrowthProposal>,
  wanted: readonly PlacementRequest[],
): readonly GrowingGroup[] {
  const asks = labelsAskedFor(wanted);
  const all = groups.map(group => ({ group, room: roomOf(group), nodes: proposals.get(group.id)?.nodes ?? 0 }));
  all.sort(
    (a, b) =>
      Number(b.nodes > 0) - Number(a.nodes > 0) ||
      b.group.autoscaling.priority - a.group.autoscaling.priority ||
      (a.group.name < b.group.name ? -1 : 1),
  );
  const kinds = new Set<string>();
  const isFirst = ({ group, nodes }: GrowingGroup): boolean => {
    const kind = JSON.stringify([group.autoscaling.priority, groupKinds.of(group, wanted.length, asks)]);
    const isNew = !kinds.has(kind);
    kinds.add(kind);
    return nodes > 0 || isNew;
  };
  const firsts = new Set(all.filter(isFirst));
  return [...firsts, ...all.filter(each => !firsts.has(each))];
}

/** Returns the proposals of these groups; each names those of the homeless that have a place once it is there. */
function proposalsOf(
  groups: readonly GrowingGroup[],
  nodes: readonly NodeView[],
  {
    wanted,
    homeless,
    place,
  }: { wanted: readonly PlacementRequest[]; homeless: readonly PlacementRequest[]; place: Place },
): Map<string, GrowthProposal> {
  const proposals = new Map<string, GrowthProposal>();
  const growing = groups.filter(group => group.nodes > 0);
  let [known, unnamed] = [nodes, homeless];
  growing.forEach(({ group, nodes: more }, i) => {
    known = [...known, ...Array.from({ length: more }, (_, n) => group.nextNode(n))];
    const isLast = i === growing.length - 1;
    const placed = isLast ? new Set(unnamed) : new Set(placedOf(place, known, wanted));
    const places = unnamed.filter(request => placed.has(request)).map(({ id }) => id);
    unnamed = unnamed.filter(request => !placed.has(request));
    proposals.set(group.id, { groupId: group.id, nodes: more, places });
  });
  return proposals;
}

/** Returns better proposals and what has no place with them; undefined where exchanges of nodes improve nothing. */
export function exchangedGrowth({ nodes, wanted, there, groups, kinds, proposals, rest, place }: ProposedGrowth) {
  const better = improvedGrowth({
    nodes,
    wanted,
    groups: () => exchangeable(groups, kinds, proposals, wanted),
    grown: [...proposals.values()].reduce((sum, proposal) => sum + proposal.nodes, 0),
    placed: wanted.length - rest.length,
    place,
  });
  if (!better) return undefined;
  const homeless = wanted.filter(({ id }) => better.placed.has(id) && !there.has(id));
  return {
    proposals: proposalsOf(better.groups, nodes, { wanted, homeless, place }),
    rest: wanted.filter(({ id }) => !better.placed.has(id)),
  };
}

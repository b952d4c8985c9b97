import {
  fullNodeGroupAutoscaling,
  getOrCreate,
  isStaying,
  type Explanation,
  type NodeGroupState,
  type NodeState,
  type ShrinkBlock,
} from '@stave/domain';

/** A refusal names at most so many nodes. */
const MOST_NODES = 5;

/** Why a node is kept: what the autoscaler found, or that it leaves the node alone. */
type KeptCode = ShrinkBlock | 'NOT_IN_SERVICE' | 'CORDONED';

export interface Keeping {
  readonly group: NodeGroupState;
  readonly nodes: (id: string) => NodeState | undefined;
  /** What keeps nodes from removal, and since when others are candidates; of the cluster. */
  readonly blocked: ReadonlyMap<string, ShrinkBlock>;
  readonly since: ReadonlyMap<string, number>;
  /** Nodes that are being emptied because nothing needs them. */
  readonly unneeded: ReadonlySet<string>;
  /** Why the autoscaler does not change the group now. */
  readonly hold?: string;
}

const percent = (share: number): string => `${Math.round(share * 1000) / 10} %`;

function sentenceOf(code: KeptCode, { group, hold }: Keeping): string {
  const { declared, spec } = group;
  const { name } = declared;
  const { idleThreshold, idleSeconds, delayAfterGrowSeconds } = fullNodeGroupAutoscaling(spec.autoscaling ?? {});
  const sentences: Readonly<Record<KeptCode, string>> = {
    DISABLED: `Group ${name} is not scaled automatically.`,
    PAUSED: hold ?? `Group ${name} is not scaled now.`,
    AT_MIN: `Group ${name} has ${spec.count} nodes, its least number is ${spec.minCount}.`,
    USED: `At least ${percent(idleThreshold)} of its CPUs or of its memory is requested.`,
    CANNOT_MOVE: 'It has a container that must not be moved, or data that is retained.',
    NO_OTHER_PLACE: 'Without it its containers, the headroom, or what sets may need again would have no place.',
    WOULD_GROW: 'Without it a node group would grow again.',
    WAITING: 'Containers wait in the cluster, or nodes are being built.',
    JUST_GREW: `Group ${name} grew less than ${delayAfterGrowSeconds} s ago.`,
    NOT_IDLE_LONG: `Nothing needs it, for less than ${idleSeconds} s so far.`,
    NOT_SIMULATED: 'Other nodes were examined before it.',
    NOT_IN_SERVICE: 'It is not in service.',
    CORDONED: 'It is cordoned or draining; only a user removes it.',
  };
  return sentences[code];
}

/** Returns why the last attempt to make the node failed, with the code of the failure. */
function buildFailure({ status, wasActive, work }: NodeState): Why | undefined {
  const { lastError } = work.wanted ?? {};
  if (!lastError || (wasActive && status === 'ACTIVE')) return undefined;
  return { code: lastError.code ?? lastError.failure, sentence: `It is not in service: ${lastError.message}.` };
}

interface Why {
  readonly code: string;
  readonly sentence: string;
}

/** Returns what keeps one node; undefined for a node that leaves, or is removed next. */
function codeOf(id: string, { group, nodes, blocked, since, unneeded, hold }: Keeping): KeptCode | undefined {
  const node = nodes(id);
  const member = group.members.get(id);
  if ((member && !isStaying(member)) || unneeded.has(id) || node?.removing) return undefined;
  if (!group.spec.autoscaling?.enabled) return 'DISABLED';
  if (hold !== undefined) return 'PAUSED';
  if (node?.status !== 'ACTIVE') return 'NOT_IN_SERVICE';
  if (!node.schedulable) return 'CORDONED';
  const block = blocked.get(id);
  if (block !== undefined) return block;
  return since.has(id) ? undefined : 'NOT_SIMULATED';
}

type Refusal = Omit<Explanation['refusals'][number], 'code'> & { readonly code: string };

function whyOf(id: string, keeping: Keeping): Why | undefined {
  const node = keeping.nodes(id);
  const failure = node && !node.removing ? buildFailure(node) : undefined;
  if (failure) return failure;
  const code = codeOf(id, keeping);
  return code && { code, sentence: sentenceOf(code, keeping) };
}

/** Returns why these nodes of a group are not in service, or are not removed, each with one code. */
export function keptNodes(ids: readonly string[], keeping: Keeping): readonly Refusal[] {
  const byReason = new Map<string, { readonly why: Why; readonly kept: string[] }>();
  for (const id of [...ids].sort()) {
    const why = whyOf(id, keeping);
    if (why) getOrCreate(byReason, `${why.code} ${why.sentence}`, () => ({ why, kept: [] })).kept.push(id);
  }
  return [...byReason.values()].map(({ why, kept }) => ({
    ...why,
    count: kept.length,
    nodes: kept.slice(0, MOST_NODES),
  }));
}

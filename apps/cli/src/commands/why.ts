import type { Document } from '../api/api.js';
import { UsageError } from '../exit-codes.js';
import type { Noun } from '../nouns/noun.js';
import { findTarget, ownPath, pathOf, type Target } from '../nouns/references.js';
import { writeDocument } from '../output/output.js';
import { tableLines } from '../output/table.js';
import { printable } from '../output/values.js';
import type { PageNames } from '../output/names.js';
import type { Session } from '../session.js';
import {
  groupScalingLines,
  setScalingLines,
  type Bounds,
  type GroupAutoscaling,
  type ScalingBlock,
  type SetAutoscaling,
} from './scaling-lines.js';

interface Score {
  readonly nodeId: string;
  readonly total: number;
  readonly parts: Readonly<Record<string, number>>;
}
interface Reason {
  readonly code: string;
  readonly sentence: string;
  readonly count?: number;
  readonly nodes?: readonly string[];
  readonly nodeGroup?: string;
}
interface Explanation {
  readonly status: string;
  /** Of a set. */
  readonly scaling?: readonly ScalingBlock[];
  readonly position: number | null;
  readonly refusals: readonly Reason[];
  readonly growth: readonly Reason[];
  readonly remedies: readonly {
    readonly sentence: string;
    readonly verified: boolean;
    readonly actions: readonly { readonly method: string; readonly path: string; readonly body?: unknown }[];
  }[];
}

const rounded = (value: number | undefined): string =>
  value === undefined ? '–' : String(Math.round(value * 1000) / 1000);

/** The scores of the nodes that were considered, the chosen one first. */
function scoreLines(placement: Document, names: PageNames, columns: number | undefined): string[] {
  const scores = (placement['scores'] ?? []) as readonly Score[];
  if (scores.length === 0) return [];
  const parts = [...new Set(scores.flatMap(score => Object.keys(score.parts)))];
  const rows = scores.map(({ nodeId, total, parts: own }) => [
    names.nameOf(nodeId),
    rounded(total),
    ...parts.map(part => rounded(own[part])),
    nodeId === placement['nodeId'] ? 'chosen' : '',
  ]);
  return tableLines([['NODE', 'TOTAL', ...parts, ''], ...rows], columns);
}

function reasonLines(title: string, reasons: readonly Reason[], nameOf: (reason: Reason) => string): string[] {
  if (reasons.length === 0) return [];
  return [
    title,
    ...tableLines(reasons.map(reason => [`  ${nameOf(reason)}`, printable(reason.sentence), reason.code])),
  ];
}

const nodesText = ({ count, nodes = [] }: Reason, names: PageNames): string => {
  const shown = nodes.slice(0, 3).map(node => names.nameOf(node));
  const more = (count ?? nodes.length) - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ');
};

/** The command line that makes a remedy, which is a list of requests. */
function remedyLines({ remedies }: Explanation): string[] {
  if (remedies.length === 0) return [];
  return [
    'What would help',
    ...remedies.flatMap(({ sentence, verified, actions }) => [
      `  ${printable(sentence)}${verified ? '' : ' (not verified)'}`,
      ...actions.map(
        ({ method, path, body }) => `    ${method} ${path}${body === undefined ? '' : ` ${JSON.stringify(body)}`}`,
      ),
    ]),
  ];
}

async function learnNodes(names: PageNames, explanation: Explanation, placement: Document): Promise<void> {
  const scored = ((placement['scores'] ?? []) as readonly Score[]).map(({ nodeId }) => nodeId);
  const refused = explanation.refusals.flatMap(({ nodes = [] }) => nodes.slice(0, 3));
  await names.learn(
    [...scored, ...refused].map(nodeId => ({ nodeId })),
    ['node'],
  );
}

async function groupNames(session: Session, { growth }: Explanation): Promise<ReadonlyMap<string, string>> {
  const ids = growth.flatMap(({ nodeGroup }) => (nodeGroup === undefined ? [] : [nodeGroup]));
  const known = new Map<string, string>();
  if (ids.length === 0) return known;
  for await (const { id, name } of session.api.items('/v1/node-groups', { id: ids.join(','), fields: 'name' }))
    known.set(String(id), String(name));
  return known;
}

/** What waits says itself why; that is left out where the refusals say it. */
function headline({ name, statusReason }: Document, { status, refusals }: Explanation): string {
  const isSaid = typeof statusReason !== 'string' || (status === 'UNSCHEDULABLE' && refusals.length > 0);
  return `${String(name)} is ${status}${isSaid ? '' : `: ${printable(statusReason)}`}`;
}

/** Names what shows a resource of another type. */
function notExplained({ name, singular, verbs }: Noun, reference: string): UsageError {
  const history = verbs.includes('history') ? `, \`stave ${name} history ${reference}\` what has happened` : '';
  return new UsageError(
    `why explains containers, container sets and node groups; ${reference} is a ${singular}: ` +
      `\`stave ${name} get ${reference}\` shows its status and the reason${history}`,
  );
}

/** A group that is not scaled automatically loses no node by itself: nothing prevents it. */
const withoutDisabled = (explanation: Explanation): Explanation => ({
  ...explanation,
  refusals: explanation.refusals.filter(({ code }) => code !== 'DISABLED'),
  growth: explanation.growth.filter(({ code }) => code !== 'DISABLED'),
});

/** What is said about a size, below the headline. */
interface Scaling {
  readonly explanation: Explanation;
  readonly lines: readonly string[];
  /** What the refusals of nodes explain. */
  readonly title: string;
  /** What the API says about it, in formats for machines. */
  readonly document: Document;
}

const boundsOf = ({ min, max }: Document): Bounds => ({
  min: Number(min ?? 0),
  ...(typeof max === 'number' ? { max } : {}),
});

async function scalingOf(
  { api, now }: Session,
  { noun, path }: Target,
  explanation: Explanation,
  document: Document,
): Promise<Scaling> {
  const read = <T>(): Promise<T> => api.read<T>(`${path}/autoscaling`);
  if (noun.name === 'container-sets') {
    const autoscaling = await read<SetAutoscaling>();
    const lines = setScalingLines(autoscaling, boundsOf(document), explanation.scaling ?? [], now());
    const title = explanation.position === null ? 'Nodes that refuse a further member' : 'What prevents it';
    return { explanation, lines, title, document: { autoscaling } };
  }
  if (noun.name === 'node-groups') {
    const autoscaling = await read<GroupAutoscaling>();
    const shown = autoscaling.state === 'disabled' ? withoutDisabled(explanation) : explanation;
    return {
      explanation: shown,
      lines: groupScalingLines(autoscaling, now()),
      title: 'Nodes',
      document: { autoscaling },
    };
  }
  return { explanation, lines: [], title: 'What prevents it', document: {} };
}

/** Says why a container is where it is or waits, or why a set or a node group has its size and does not grow or shrink. */
export async function why(session: Session, noun: Noun | undefined, reference: string): Promise<void> {
  const { api, terminal, format } = session;
  const found = noun ? { noun, path: await pathOf(api, noun, reference) } : await findTarget(api, reference);
  if (!found.noun.verbs.includes('why')) throw notExplained(found.noun, reference);
  const path = await ownPath(api, found.noun, found.path);
  const [answer, document] = await Promise.all([api.read<Explanation>(`${path}/explain`), api.read(path)]);
  const placement = (document['placement'] ?? {}) as Document;
  const scaling = await scalingOf(session, { noun: found.noun, path }, answer, document);
  if (writeDocument(terminal, format, { ...answer, placement, ...scaling.document })) return;
  const { explanation } = scaling;
  const names = session.names();
  await learnNodes(names, explanation, placement);
  const groups = await groupNames(session, explanation);
  const lines = [
    headline(document, explanation),
    ...scaling.lines,
    ...scoreLines(placement, names, terminal.columns),
    ...reasonLines(scaling.title, explanation.refusals, reason => nodesText(reason, names)),
    ...reasonLines('Node groups', explanation.growth, ({ nodeGroup = '' }) => groups.get(nodeGroup) ?? nodeGroup),
    ...remedyLines(explanation),
  ];
  for (const line of lines) terminal.out(`${line}\n`);
}

import { RefusedError } from '@stave/contracts';
import {
  brokenRules,
  randomSource,
  generatedName,
  nodeGroupAttributesOf,
  marksOf,
  mergeCluster,
  mergeNodeGroup,
  mismatch,
  normalizedMarks,
  resolveClusterTemplate,
  sourceLayer,
  type ClusterAttributesInput,
  type ClusterRequest,
  type ClusterTemplateCreated,
  type Marks,
  type NodeGroupAttributesInput,
  type NodeGroupLayer,
  type NodeGroupSource,
  type NodeGroupTemplateCreated,
  type NodeGroupTemplateDeclaration,
  type Problem,
  type SourceRef,
} from '@stave/domain';
import type { NodeGroupFrom } from '@stave/service-kit';
import { groupNames } from '../clusters/group-names.js';
import type { ClusterFrom } from '../sources/source-finder.js';

interface TemplateInput {
  readonly name?: string;
  readonly immutableAttributes?: readonly string[];
}

/** A node group template in the request for a cluster template; shapes were checked before. */
export type GroupTemplateEntry = NodeGroupAttributesInput & TemplateInput & { readonly from?: NodeGroupFrom };

/** A request for a node group template. */
export type GroupTemplateInput = GroupTemplateEntry & { readonly clusterTemplateId?: string | null };

/** A request for a cluster template. */
export type ClusterTemplateInput = ClusterAttributesInput &
  TemplateInput & {
    readonly from?: ClusterFrom;
    readonly nodeGroups?: readonly GroupTemplateEntry[];
    readonly omitNodeGroups?: readonly string[];
  };

/** A fact of 1 MB is the most that is passed on. */
const MAX_CREATION_CHARACTERS = 900_000;

export type PlannedClusterTemplate = Omit<ClusterTemplateCreated['data'], 'id' | 'projectId'>;
export type PlannedGroupTemplate = Omit<NodeGroupTemplateCreated['data'], 'id' | 'projectId' | 'clusterTemplateId'>;

/** What a template is called that was given no name. */
function nameOf(given: string | undefined, source: SourceRef | undefined, kind: string, id: string): string {
  return given ?? (source ? generatedName(source.name, randomSource(id)) : `${kind}-${id.slice(-6)}`);
}

const isNamed = (source: SourceRef | undefined): { readonly source?: SourceRef } => (source ? { source } : {});

/** The marks of the template itself beside those that it has from its source. */
const marked = (asked: readonly string[] = [], locked: Marks = {}) => ({
  immutableAttributes: normalizedMarks(asked, locked),
  locked,
});

/**
 * What a request for a cluster template results in; `id` is the template's, `problems` what else speaks against it. Throws RefusedError with
 * everything that is bound, unknown, or contradicts itself.
 */
export function planClusterTemplate(
  body: ClusterTemplateInput,
  request: ClusterRequest,
  ids: { readonly template: string; readonly group: () => string },
  problems: readonly Problem[],
): PlannedClusterTemplate {
  const resolved = resolveClusterTemplate(request);
  const found = [...(resolved.ok ? [] : resolved.problems), ...problems];
  if (!resolved.ok || found.length > 0) throw new RefusedError(brokenRules(found));
  const groupIds = resolved.groups.map(() => ids.group());
  const names = groupNames(resolved.groups, groupIds);
  const groups = resolved.groups.map(({ index, layers, values, origins }, i): NodeGroupTemplateDeclaration => {
    const asked = index === undefined ? [] : body.nodeGroups?.[index]?.immutableAttributes;
    const source = isNamed(layers.find(({ origin }) => origin.source)?.origin.source);
    const contents = { attributes: values, ...marked(asked, marksOf(layers)), ...source, origins };
    return { id: groupIds[i] ?? '', name: names[i] ?? '', ...contents };
  });
  const source = request.from?.ref;
  return inLimits({
    name: nameOf(body.name, source, 'cluster-template', ids.template),
    attributes: resolved.values,
    ...marked(body.immutableAttributes, request.from?.marks),
    groups,
    ...isNamed(source),
    origins: resolved.origins,
  });
}

/** The layers of a request for a node group template. */
export function groupLayers(body: GroupTemplateInput, from: NodeGroupSource | undefined): readonly NodeGroupLayer[] {
  const own: NodeGroupLayer = {
    origin: { from: 'request' },
    attributes: nodeGroupAttributesOf(body),
    pointer: attribute => `/${attribute}`,
  };
  return from ? [own, sourceLayer(from, '/from')] : [own];
}

/** As {@link planClusterTemplate}; `driver` is that of the cluster template that it is in. */
export function planGroupTemplate(
  body: GroupTemplateInput,
  sources: { readonly from?: NodeGroupSource; readonly driver?: string },
  id: string,
  problems: (layers: readonly NodeGroupLayer[]) => readonly Problem[],
): PlannedGroupTemplate {
  const { from, driver } = sources;
  const layers = groupLayers(body, from);
  const { values, origins, problems: own } = mergeNodeGroup(layers);
  const foreign = from ? mismatch(from.ref, from.driver, driver, '/from') : [];
  const found = [...own, ...foreign, ...problems(layers)];
  if (found.length > 0) throw new RefusedError(brokenRules(found));
  return inLimits({
    name: nameOf(body.name, from?.ref, 'node-group-template', id),
    attributes: values,
    ...marked(body.immutableAttributes, from?.marks),
    ...isNamed(from?.ref),
    origins,
  });
}

/** Where the driver of a cluster template comes from. */
export const wantedDriver = (request: ClusterRequest) => mergeCluster(request).values;

function inLimits<T extends object>(planned: T): T {
  const size = JSON.stringify(planned).length;
  if (size <= MAX_CREATION_CHARACTERS) return planned;
  const detail = `the template would have ${size} characters; ${MAX_CREATION_CHARACTERS} is the most`;
  throw new RefusedError(brokenRules([{ pointer: '', code: 'too-large', detail }]));
}

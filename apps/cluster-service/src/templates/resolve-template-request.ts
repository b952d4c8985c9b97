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
  omitUndefined,
  resolveClusterTemplate,
  sourceLayer,
  type ClusterAttributes,
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

/** Stays below 1 MB, the largest event that is published. */
const MAX_CREATION_CHARACTERS = 900_000;

export type ResolvedClusterTemplate = Omit<ClusterTemplateCreated['data'], 'id' | 'projectId'>;
export type ResolvedGroupTemplate = Omit<NodeGroupTemplateCreated['data'], 'id' | 'projectId' | 'clusterTemplateId'>;

/** Returns the given name; default: generated from the name of the source, or from the id. */
function nameOf(given: string | undefined, source: SourceRef | undefined, kind: string, id: string): string {
  return given ?? (source ? generatedName(source.name, randomSource(id)) : `${kind}-${id.slice(-6)}`);
}

/** Marks attributes as immutable: those that the request names, and those that the source locks. */
const marked = (asked: readonly string[] = [], locked: Marks = {}) => ({
  immutableAttributes: normalizedMarks(asked, locked),
  locked,
});

/**
 * Resolves a request to the cluster template that it creates. Throws RefusedError with every broken rule, those of `problems` (the driver's)
 * included.
 */
export function resolveClusterTemplateRequest(
  body: ClusterTemplateInput,
  request: ClusterRequest,
  ids: { readonly template: string; readonly group: () => string },
  problems: readonly Problem[],
): ResolvedClusterTemplate {
  const resolved = resolveClusterTemplate(request);
  const found = [...(resolved.ok ? [] : resolved.problems), ...problems];
  if (!resolved.ok || found.length > 0) throw new RefusedError(brokenRules(found));
  const groupIds = resolved.groups.map(() => ids.group());
  const names = groupNames(resolved.groups, groupIds);
  const groups = resolved.groups.map(({ index, layers, values, origins }, i): NodeGroupTemplateDeclaration => {
    const asked = index === undefined ? [] : body.nodeGroups?.[index]?.immutableAttributes;
    const source = layers.find(({ origin }) => origin.source)?.origin.source;
    const own = { attributes: values, ...marked(asked, marksOf(layers)), ...omitUndefined({ source }), origins };
    return { id: groupIds[i] ?? '', name: names[i] ?? '', ...own };
  });
  const source = request.from?.ref;
  return inLimits({
    name: nameOf(body.name, source, 'cluster-template', ids.template),
    attributes: resolved.values,
    ...marked(body.immutableAttributes, request.from?.marks),
    groups,
    ...omitUndefined({ source }),
    origins: resolved.origins,
  });
}

/** Resolves a request to the node group template that it creates; `driver` is that of its cluster template. Throws as {@link resolveClusterTemplateRequest}. */
export function resolveGroupTemplateRequest(
  body: GroupTemplateInput,
  sources: { readonly from?: NodeGroupSource; readonly driver?: string },
  id: string,
  problems: (layers: readonly NodeGroupLayer[]) => readonly Problem[],
): ResolvedGroupTemplate {
  const { from, driver } = sources;
  const own: NodeGroupLayer = {
    origin: { from: 'request' },
    attributes: nodeGroupAttributesOf(body),
    pointer: attribute => `/${attribute}`,
  };
  const layers = from ? [own, sourceLayer(from, '/from')] : [own];
  const { values, origins, problems: merged } = mergeNodeGroup(layers);
  const foreign = from ? mismatch(from.ref, from.driver, driver, '/from') : [];
  const found = [...merged, ...foreign, ...problems(layers)];
  if (found.length > 0) throw new RefusedError(brokenRules(found));
  return inLimits({
    name: nameOf(body.name, from?.ref, 'node-group-template', id),
    attributes: values,
    ...marked(body.immutableAttributes, from?.marks),
    ...omitUndefined({ source: from?.ref }),
    origins,
  });
}

/** Returns the attributes that select the driver of a cluster template. */
export const wantedDriver = (request: ClusterRequest): ClusterAttributes => mergeCluster(request).values;

function inLimits<T extends object>(template: T): T {
  const size = JSON.stringify(template).length;
  if (size <= MAX_CREATION_CHARACTERS) return template;
  const detail = `the template would have ${size} characters; ${MAX_CREATION_CHARACTERS} is the most`;
  throw new RefusedError(brokenRules([{ pointer: '', code: 'too-large', detail }]));
}

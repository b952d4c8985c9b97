import type { InjectionToken, Type } from '@nestjs/common';
import type { ListQuery, RequestMeta, ResourceDocument, ResourceName } from '@stave/contracts';
import type { Decision, DomainEvent, QuotaAmounts } from '@stave/domain';
import type { StoredDocument } from '@stave/platform';
import type { Search } from './find-resource.js';
import type { PastState } from '../history/history-queries.js';
import type { SnapshotModel, StreamRef } from '../history/history-context.js';
import type { PassingParts } from '../history/passing-parts.js';
import type { OperationRef } from '../operations/operation-tracker.js';
import type { References } from '../read-models/queries.js';
import type { PlannedResource } from '../plans/plan-descriptions.js';
import type { HealthSource } from '../work/health-reports.js';
import type { TaskDeclaration } from '../work/conductor-work.js';
import type { Projection, ProjectionClass } from './projection.js';
import type { RequestIds } from './request-ledger.js';
import type { ResourceScope } from './resource-commands.js';
import type { ResourceModel } from './resource-model.js';

export type ModelDocument = StoredDocument & { readonly position: number };

export interface ReadModelDeclaration<S, P> {
  readonly name: string;
  /** Default 1. Increase it when documents change so that stored ones would be wrong; they are then rebuilt. */
  readonly version?: number;
  /** Sort fields with an index, beside `createdAt`. The gateway's route declares which sort fields and filters exist. */
  readonly indexedSorts: readonly string[];
  /** Filter fields with an index, beside `projectId`. */
  readonly indexedFilters: readonly string[];
  /** Returns the document of a resource that exists, with what other streams show in it; default: the own fields. */
  readonly document?: (projection: P, state: S) => ResourceDocument;
  /** Returns the position of the last event in the document; default: of the last event of the own stream. */
  readonly position?: (projection: P, id: string) => number;
}

export interface HistoryDeclaration<P> {
  /** Models that may start from a snapshot: those whose listeners need no event before the last one folded. Default: the own one. */
  readonly snapshots?: (projection: P) => readonly SnapshotModel[];
  /** Other streams that show in the document, by what was fed so far to `past`. */
  readonly related?: (past: P, id: string) => Iterable<StreamRef>;
  readonly parts?: PassingParts<P>;
  /** Members of current telemetry, with the value that a past document has instead. */
  readonly telemetry?: Readonly<Record<string, unknown>>;
}

/** A resource type: its streams and what clients see of it, as pure functions of state. */
export interface ResourceType<S extends PastState, P extends Projection> {
  /** Name in message subjects; its owner in the contracts is the service that serves it. */
  readonly name: ResourceName;
  /** As in "the cluster does not exist". */
  readonly description: string;
  readonly projection: ProjectionClass<P>;
  readonly model: (projection: P) => ResourceModel<S>;
  /** Where a resource belongs for good. */
  readonly scope: (state: S) => ResourceScope;
  /** Returns the fields of a resource, as its own stream has them. */
  readonly fields: (state: S) => ResourceDocument;
  /** Returns the status that the document of a living resource shows, without making the document; default: it is taken from the document. */
  readonly status?: (state: S) => string;
  readonly readModel: ReadModelDeclaration<S, P>;
  readonly history?: HistoryDeclaration<P>;
}

export interface ResourceDefinition<
  S extends PastState,
  P extends Projection,
  D extends readonly unknown[],
> extends ResourceType<S, P> {
  readonly inject?: Tokens<D>;
  /** Returns all that a resource takes of the quotas of its project; absent: nothing. */
  readonly quota?: (state: S) => QuotaAmounts;
  /** Whether requests change it in projects that are disabled or deleted, too; default: they do not. */
  readonly changesInClosedProjects?: true;
  readonly connect?: (projection: P, ...dependencies: D) => Omit<ResourceConnections<S>, 'cancel'>;
  /** Decides the cancellation of an operation in the stream of the resource; `ids` are those of the request to cancel, `meta` says whose it is. */
  readonly cancel?: (
    state: S,
    operationId: string,
    ids: RequestIds,
    projection: P,
    meta: RequestMeta,
  ) => Decision<DomainEvent>;
}

export type Tokens<D extends readonly unknown[]> = { readonly [K in keyof D]: Type<D[K]> | InjectionToken<D[K]> };

/** Returns the document of the read model, a tombstone for a deleted resource; undefined for one that was never created. */
export function documentOf<S extends PastState, P extends Projection>(
  { readModel, model, fields }: ResourceType<S, P>,
  projection: P,
  id: string,
  handled = Infinity,
): ModelDocument | undefined {
  const { document, position: positionOf } = readModel;
  const entry = model(projection).entry(id);
  if (!entry?.state) return undefined;
  const { state } = entry;
  const position = Math.min(handled, positionOf?.(projection, id) ?? entry.position);
  if (state.deleted) return { _id: id, deleted: true, deletedAt: entry.latest ?? '', position };
  // a literal that begins with its own members and ends with a spread is ten times faster than a spread of two objects
  const shown = document?.(projection, state) ?? fields(state);
  return { _id: id, deleted: false, position, ...shown };
}

/** A resource named in a request by id or name; `clusterId`: the cluster of the path, by id or name. */
export interface ResourceRef {
  readonly id: string;
  readonly clusterId?: string;
}

export type ResourceListQuery = ListQuery & { readonly clusterId?: string };

/** Finds a resource of the requester by id or name. Throws RefusedError `not-found` and `ambiguous-name`. */
export type FindResource = (
  meta: RequestMeta & Search,
  ref: string,
  clusterRef?: string,
) => Promise<{ readonly id: string }>;

export interface ResourceConnections<S> {
  /** Default: references are ids. */
  readonly find?: FindResource;
  readonly references?: References;
  /**
   * Whether a resource that this process has seen was accepted with a resource of this id or name, which does not exist yet. Reads at the
   * position of the acceptance wait for it.
   */
  readonly awaits?: (meta: RequestMeta & Search, ref: string, clusterId?: string) => Promise<boolean>;
  /** Finds by the name that a resource had in its cluster at a time; default: names are those of now. */
  readonly findPast?: (clusterId: string, name: string, time?: string) => Promise<string | undefined>;
  /** Adds to documents what no read model holds. */
  readonly decorate?: (document: ResourceDocument, reader: 'get' | 'list') => ResourceDocument;
  /** What follows on the infrastructure from a change; default: one step for the resource itself. `show`: what plans compare; default: its fields. */
  readonly plan?: Partial<Pick<PlannedResource<S>, 'show'>> &
    Pick<PlannedResource<S>, 'steps' | 'parts' | 'size' | 'unsettled' | 'outlook'>;
  readonly tasks?: TaskDeclaration<S>;
  readonly health?: HealthSource<S>;
  readonly reconcile?: ReconcileDeclaration<S>;
  /** Cancels an operation on the resource. Resolves to the position of what was appended. Throws RefusedError. */
  readonly cancel?: (meta: RequestMeta, operation: OperationRef) => Promise<number | undefined>;
}

export type LookedUp<S> = ResourceConnections<S> & Required<Pick<ResourceConnections<S>, 'find' | 'references'>>;

export interface ReconcileDeclaration<S> {
  /** Brings one resource closer to what it should be; called again after an error. */
  readonly reconcile: (id: string) => Promise<number | undefined | void>;
  readonly concurrency: number;
  /** Milliseconds until a failed call is repeated; default 500. */
  readonly retryMs?: number;
  /** Returns how many parts a call checks: after it the resource rests for a time in proportion. Default: no rest. */
  readonly parts?: (id: string) => number;
  /** Milliseconds from a change until the resource is reconciled; default 0. Requests that settle it themselves are given this time. */
  readonly delayMs?: number;
  /** Whether the safety net marks the resource; default: while it is not deleted. */
  readonly isUnsettled?: (id: string, state: S) => boolean;
}

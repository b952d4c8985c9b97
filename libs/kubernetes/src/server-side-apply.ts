import { DriverError, type DriverContext } from '@stave/driver-sdk';
import { ApiError, undefinedOnStatus, type KubernetesApi } from './kubernetes-api.js';
import { differences, type Difference } from './object-difference.js';

/** An object as a client wants it; the manifest's schema has checked these members. */
export interface WantedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** What became of an object, or would. */
export interface AppliedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly action: 'create' | 'change' | 'keep';
  readonly diff?: readonly Difference[];
}

interface Resource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

interface Place {
  readonly path: string;
  readonly namespace?: string;
}

/** By this name Kubernetes knows which members of an object the operation has set. */
const fieldManager = 'stave';
const defaultNamespace = 'default';
const contentType = 'application/apply-patch+yaml';

/**
 * Applies objects in their order, or asks the server what that would do. Members that another manager has set are a conflict. Throws before the
 * first change when a kind is unknown; a later failure names its object, and those before it stay applied, so that the call can be repeated.
 */
export async function applyObjects(
  ctx: DriverContext,
  api: KubernetesApi,
  { objects, dryRun }: { readonly objects: readonly WantedObject[]; readonly dryRun: boolean },
): Promise<readonly AppliedObject[]> {
  const known = new Map<string, Promise<readonly Resource[]>>();
  const resourcesOf = (apiVersion: string): Promise<readonly Resource[]> => {
    const found = known.get(apiVersion) ?? resourcesIn(ctx, api, apiVersion);
    known.set(apiVersion, found);
    return found;
  };
  const places: Place[] = [];
  for (const [i, object] of objects.entries()) places.push(placeOf(i, object, await resourcesOf(object.apiVersion)));
  const applied: AppliedObject[] = [];
  for (const [i, object] of objects.entries())
    applied.push(await named(i, object, () => applyOne(ctx, api, object, places[i] as Place, dryRun)));
  return applied;
}

async function resourcesIn(ctx: DriverContext, api: KubernetesApi, apiVersion: string): Promise<readonly Resource[]> {
  const path = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const found = await undefinedOnStatus([404], api.read<{ readonly resources: readonly Resource[] }>(ctx, path));
  return found?.resources ?? [];
}

function placeOf(i: number, { apiVersion, kind, metadata }: WantedObject, resources: readonly Resource[]): Place {
  const resource = resources.find(one => one.kind === kind && !one.name.includes('/'));
  const unknown = `/objects/${i}: the cluster knows no ${kind} of ${apiVersion}`;
  if (!resource) throw new DriverError('permanent', unknown, { code: 'unknown-kind' });
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const end = `${resource.name}/${encodeURIComponent(metadata.name)}`;
  if (!resource.namespaced) return { path: `${root}/${end}` };
  const { namespace = defaultNamespace } = metadata;
  return { path: `${root}/namespaces/${namespace}/${end}`, namespace };
}

async function applyOne(
  ctx: DriverContext,
  api: KubernetesApi,
  object: WantedObject,
  { path, namespace }: Place,
  dryRun: boolean,
): Promise<AppliedObject> {
  const { apiVersion, kind, metadata } = object;
  const before = await undefinedOnStatus([404], api.read<object>(ctx, path));
  const query = { fieldManager, fieldValidation: 'Strict', ...(dryRun && { dryRun: 'All' }) };
  const after = await api.change<object>(ctx, 'PATCH', path, { query, body: object, contentType });
  const shown = { apiVersion, kind, ...(namespace !== undefined && { namespace }), name: metadata.name };
  if (!before) return { ...shown, action: 'create' };
  const diff = differences(before, after, { hideValues: kind === 'Secret' });
  return diff.length === 0 ? { ...shown, action: 'keep' } : { ...shown, action: 'change', diff };
}

/** Adds to a failure which object it was. */
async function named<T>(i: number, { kind, metadata }: WantedObject, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    if (!(cause instanceof ApiError)) throw cause;
    const message = `/objects/${i}: ${kind} ${metadata.name}: ${cause.message}`;
    throw new DriverError(cause.failure, message, { cause, ...(cause.status === 403 && { code: 'forbidden' }) });
  }
}

import type { Mutation } from './mutation.js';
import { call, replaceMethod, type Method } from './replace-method.js';

const KIT = 'libs/service-kit/src';
const CONDUCTOR = 'apps/conductor/src';

interface RemoveRequest {
  readonly call: string;
  readonly infrastructureId: string;
}

interface Cloud {
  readonly ledger: {
    readonly units: {
      get(
        id: string,
      ): { readonly installation: string; readonly kind: string; readonly resourceId: string } | undefined;
      ofResource(installation: string, kind: string, id: string): readonly { readonly infrastructureId: string }[];
    };
  };
  readonly faults: { begin(request: object, id: string): { readonly plan: object } };
  accept(request: object, plan: object): object;
  build(request: object, change: object, unit: object): Promise<object>;
}

/** Removes by the name of the resource, not by the id of the unit. */
function removesByName(original: Method): Method {
  const names = new Map<string, readonly [string, string, string]>();
  return async function (this: Cloud, request: RemoveRequest) {
    const { units } = this.ledger;
    const known = units.get(request.infrastructureId);
    if (known) names.set(request.infrastructureId, [known.installation, known.kind, known.resourceId]);
    const name = names.get(request.infrastructureId);
    for (const { infrastructureId } of name ? units.ofResource(...name) : [])
      await call(original, this, { ...request, infrastructureId });
    return { units: [] };
  } as Method;
}

const IN_PROCESS_CLOUD = 'libs/drivers/fake/src/cloud/in-process-cloud.ts';

export const effectMutations: readonly Mutation[] = [
  {
    name: 'appends do not check the expected revision',
    profile: 'usual',
    noticedBy: ['claims-overlap', 'stale-report-counted', 'operation-ended-twice', 'not-converged'],
    apply: () =>
      replaceMethod(
        `${KIT}/events/upcasting-event-store.ts`,
        'UpcastingEventStore',
        'append',
        original =>
          function (this: object, stream: string, events: readonly object[]) {
            return call(original, this, stream, events, 'any');
          } as Method,
      ),
  },
  {
    name: 'removals select a unit by its name and not by its id',
    profile: 'directed',
    script: 'late removals',
    noticedBy: ['higher-generation-removed', 'successor-touched'],
    apply: () => replaceMethod(IN_PROCESS_CLOUD, 'InProcessCloud', 'remove', removesByName),
  },
  {
    name: 'creations do not adopt the unit of an earlier attempt',
    profile: 'usual',
    noticedBy: ['built-twice'],
    apply: () =>
      replaceMethod(
        IN_PROCESS_CLOUD,
        'InProcessCloud',
        'create',
        () =>
          async function (this: Cloud, request: { readonly unit: { readonly resourceId: string } }) {
            const change = this.faults.begin(request, request.unit.resourceId);
            return this.build(request, change, this.accept(request, change.plan));
          } as Method,
      ),
  },
  {
    name: 'nodes are not closed in the ledger before their removal is accepted',
    profile: 'directed',
    script: 'data on leaving nodes',
    noticedBy: ['retained-data-lost'],
    apply: () =>
      replaceMethod(
        'apps/nodegroup-service/src/fleet/node-closings.ts',
        'NodeClosings',
        'close',
        () => async () => undefined,
      ),
  },
  {
    name: 'the orphan sweep treats a missing answer as a verdict and has no grace time',
    profile: 'usual',
    noticedBy: ['live-unit-swept'],
    apply: () =>
      replaceMethod(
        `${CONDUCTOR}/sweep/orphan-candidates.ts`,
        'OrphanCandidates',
        'due',
        () =>
          function (units: readonly { readonly unit: object; readonly verdict?: string }[]) {
            return units.filter(({ verdict }) => verdict !== 'live').map(({ unit }) => ({ unit, verdict: 'gone' }));
          } as Method,
      ),
  },
  {
    name: 'the projector does not notice that its documents are lost',
    profile: 'directed',
    script: 'lost documents',
    noticedBy: ['read-models-differ', 'read-models-missing'],
    apply: () => replaceMethod(`${KIT}/read-models/projector.ts`, 'Projector', 'verify', () => async () => undefined),
  },
];

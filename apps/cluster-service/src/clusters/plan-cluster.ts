import { RefusedError } from '@stave/contracts';
import {
  brokenRules,
  duplicateNames,
  resolveNodeGroupSpec,
  zoneOf,
  type ClusterCreated,
  type ClusterSpecification,
  type NodeGroupInput,
  type NodeGroupSpec,
  type Problem,
  type RingView,
  type ZoneSpec,
} from '@stave/domain';
import { driverDefaults, requireDriver, type DriverOffer } from '@stave/platform';
import { v7 as uuidv7 } from 'uuid';
import { driverProblems } from './driver-problems.js';

/** What groups of the cluster take where they leave it open; zones by name or with their region. */
export type DefaultsInput = Omit<ClusterSpecification['defaults'], 'zones'> & {
  readonly zones?: readonly (string | ZoneSpec)[];
};

export interface ClusterInput {
  readonly name?: string;
  readonly description?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly driver?: string;
  readonly conductorGroup?: string;
  readonly network?: ClusterSpecification['network'];
  readonly api?: ClusterSpecification['api'];
  readonly defaults?: DefaultsInput;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly nodeGroups?: readonly NodeGroupInput[];
}

/** A cluster as it will be created, but for the ids of its request. */
export type PlannedCluster = Omit<ClusterCreated['data'], 'id' | 'operation' | 'projectId'>;

/**
 * What a request for a cluster comes to. Throws RefusedError: everything that is missing or wrong at once (422); then `nobody-serves`
 * (503) for a driver or conductor group, the groups' own included.
 */
export function planCluster(ring: RingView, body: ClusterInput, fallbackName: string): PlannedCluster {
  const { driver, nodeGroups = [], conductorGroup = '' } = body;
  const specs = resolved(body, offerOf(ring, conductorGroup, driver));
  if (driver === undefined) throw new RefusedError(brokenRules([missingDriver]));
  const { version } = requireDriver(ring, conductorGroup, driver);
  for (const spec of specs) if (spec.conductorGroup !== null) requireDriver(ring, spec.conductorGroup, driver, version);
  const groups = specs.map((spec, i) => ({ id: uuidv7(), name: nodeGroups[i]?.name ?? `group-${i + 1}`, spec }));
  return { name: body.name ?? fallbackName, spec: specification(body, driver, version), groups };
}

const missingDriver: Problem = { pointer: '/driver', code: 'required', detail: 'driver is required' };

/** Undefined where nobody offers it: the problems of the request itself come first. */
function offerOf(ring: RingView, group: string, driver: string | undefined): DriverOffer | undefined {
  if (driver === undefined || ring.newestFor(group, driver) === undefined) return undefined;
  return requireDriver(ring, group, driver);
}

function resolved(body: ClusterInput, offer: DriverOffer | undefined): readonly NodeGroupSpec[] {
  const inputs = body.nodeGroups ?? [];
  const defaults = { ...(body.defaults ? { cluster: body.defaults } : {}), ...driverDefaults(offer?.manifest ?? {}) };
  const results = inputs.map((input, i) => resolveNodeGroupSpec(input, defaults, `/nodeGroups/${i}`));
  const problems: Problem[] = [
    ...(body.driver === undefined ? [missingDriver] : []),
    ...results.flatMap(r => (r.ok ? [] : r.problems)),
    ...duplicateNames(inputs, '/nodeGroups'),
    ...(offer ? driverProblems(offer.manifest, body) : []),
  ];
  if (problems.length > 0) throw new RefusedError(brokenRules(problems));
  return results.flatMap(r => (r.ok ? [r.spec] : []));
}

function specification(body: ClusterInput, driver: string, driverVersion: string): ClusterSpecification {
  return {
    ...(body.description === undefined ? {} : { description: body.description }),
    driver,
    driverVersion,
    conductorGroup: body.conductorGroup ?? '',
    network: body.network ?? {},
    api: body.api ?? {},
    labels: body.labels ?? {},
    defaults: defaultsOf(body.defaults ?? {}),
    options: body.options ?? {},
  };
}

/** As they are kept. */
export function defaultsOf({ zones, ...others }: DefaultsInput): ClusterSpecification['defaults'] {
  return zones === undefined ? others : { ...others, zones: zones.map(zoneOf) };
}

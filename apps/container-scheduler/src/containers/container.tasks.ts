import {
  accept,
  completeContents,
  expectedContainerUnit,
  isActedOnAtOnce,
  observeContainer,
  omitUndefined,
  operationOfWork,
  reportContainerTask,
  samplingPeriodMs,
  type ContainerState,
  type ContainerTaskKind,
} from '@stave/domain';
import type { ContainerRef, ContainerSpec, DriverTask, SecretReferences } from '@stave/driver-sdk';
import {
  operationContext,
  type ClassifyUnit,
  type EventContext,
  type HealthSource,
  type TaskRouting,
  type TaskSource,
} from '@stave/service-kit';
import { optionsIn, routingsIn } from '../scheduling/attachment-routing.js';
import type { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { attachedTo, leavingWith } from './attached.js';

const TASK_TIMEOUT_MS = 5 * 60_000;

/** The work of containers that conductors claim. */
export function containerTasks(projection: SchedulerProjection): TaskSource<ContainerState, 'container'> {
  return {
    type: 'container',
    model: projection.containers,
    work: state => state.work,
    routing: (_id, state) => taskRouting(projection, state),
    clusterId: state => state.declared.clusterId,
    task: (kind, state) => containerTask(projection, kind, state),
    report: reportContainerTask,
    context: state => workContext(state),
    timeoutMs: (_kind, { contents, graceSeconds }) =>
      TASK_TIMEOUT_MS + (graceSeconds ?? completeContents(contents).stopGraceSeconds) * 1000,
  };
}

export function containerHealth(
  projection: SchedulerProjection,
  { model, routing, context }: TaskSource<ContainerState, 'container'>,
): HealthSource<ContainerState> {
  return {
    model,
    routing,
    context,
    samplingMs: isAsked => {
      const shortest = projection.shortWindows.shortest(id => routingsIn(projection, id).some(isAsked));
      return shortest === undefined ? undefined : samplingPeriodMs(shortest);
    },
    // the driver stops and starts containers of a cluster that it rebuilds or reboots at once
    observe: (state, seen) => {
      const cluster = projection.clusters.get(state.declared.clusterId);
      if (cluster && isActedOnAtOnce(cluster)) return accept();
      return observeContainer(state, seen, cluster?.lossesAccepted ?? 0);
    },
    expected: (resourceId, state) => {
      const seen = expectedContainerUnit(state);
      const { generation, builtGeneration: built, nodeId } = state;
      const suspected = state.suspectedLoss ? (true as const) : undefined;
      return seen && omitUndefined({ resourceId, generation, built, seen, nodeId, suspected });
    },
  };
}

/** Classifies a unit on the infrastructure by the container's stream. Units that are not containers are kept. */
export function classifyContainer({ containers }: SchedulerProjection): ClassifyUnit {
  const verdict = (state: ContainerState | undefined, generation: number): 'live' | 'gone' | 'never' => {
    if (!state) return 'never';
    if (state.deleted || generation < state.builtGeneration) return 'gone';
    // a container without a node has no unit: one of a known generation was built late, and its next one gets a higher generation
    return state.nodeId === undefined && generation <= state.generation ? 'gone' : 'live';
  };
  return async ({ resourceId, kind, generation }) => {
    if (kind !== 'container') return 'live';
    const known = containers.get(resourceId);
    if (known && verdict(known, generation) === 'live') return 'live';
    return verdict((await containers.load(resourceId)).state, generation);
  };
}

/** Returns which conductors work on the container: those of its node's group, with the driver of its cluster. */
export function taskRouting(
  { clusters, nodes, groups }: SchedulerProjection,
  { declared, nodeId }: ContainerState,
): TaskRouting | undefined {
  const cluster = clusters.get(declared.clusterId);
  const node = nodes.get(nodeId ?? '');
  if (!cluster || !node) return undefined;
  const group = groups.get(node.declared.nodeGroupId)?.spec.conductorGroup;
  const { driver, driverVersion, conductorGroup } = cluster.spec;
  return { group: group ?? conductorGroup, driver, version: driverVersion };
}

/** Returns the reference by which a driver finds the container; undefined when it is on no node. */
export function containerRef(
  projection: SchedulerProjection,
  { declared, contents, nodeId, generation, graceSeconds }: ContainerState,
): ContainerRef | undefined {
  if (nodeId === undefined) return undefined;
  const { id, clusterId } = declared;
  const stopGraceSeconds = graceSeconds ?? completeContents(contents).stopGraceSeconds;
  return { id, clusterId, nodeId, generation, stopGraceSeconds, options: optionsIn(projection, clusterId, nodeId) };
}

function containerTask(
  projection: SchedulerProjection,
  kind: ContainerTaskKind,
  state: ContainerState,
): DriverTask | undefined {
  const { declared, contents, nodeId, generation } = state;
  if (kind !== 'container.create' && kind !== 'container.update') {
    const spec = containerRef(projection, state);
    const leaving = kind === 'container.delete' ? leavingWith(projection, state) : [];
    return spec && { kind, spec: leaving.length > 0 ? { ...spec, leaving } : spec };
  }
  if (nodeId === undefined) return undefined;
  const { nodeSelector: _selector, zone: _zone, region: _region, ...placed } = completeContents(contents);
  const { tolerations: _tolerations, movable: _movable, spread: _spread, affinity: _affinity, ...others } = placed;
  const { env: _env, imageCredentials: _login, ...run } = others;
  const { id, name, clusterId } = declared;
  const options = optionsIn(projection, clusterId, nodeId);
  const more = { ...attachedTo(projection, state, nodeId), ...environment(projection, state) };
  return { kind, spec: { id, name, generation, clusterId, nodeId, ...run, options, ...more } };
}

/** Returns the variables with a value, and the names of the secrets, which the conductor reads. */
function environment(projection: SchedulerProjection, state: ContainerState): Pick<ContainerSpec, 'env' | 'secrets'> {
  const plain = Object.entries(state.contents.env).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  const secrets = secretsOf(projection, state);
  return { env: Object.fromEntries(plain), ...(secrets && { secrets }) };
}

/** Returns the names of the secrets of a container; undefined where it has none. */
export function secretsOf({ projects }: SchedulerProjection, state: ContainerState): SecretReferences | undefined {
  const { declared, contents } = state;
  const env = Object.entries(contents.env).flatMap(([variable, value]) =>
    typeof value === 'string' ? [] : [[variable, value.secret] as const],
  );
  const imageCredentials = contents.imageCredentials?.secret;
  if (env.length === 0 && imageCredentials === undefined) return undefined;
  const { projectId } = declared;
  const name = projects.get(projectId)?.project.name;
  const project = name === undefined || name === projectId ? [projectId] : [projectId, name];
  return { project, env: Object.fromEntries(env), ...omitUndefined({ imageCredentials }) };
}

/** Returns the metadata of events that follow from a container's work; default: of its current operation. */
export const workContext = (
  { declared, work, operations }: ContainerState,
  operationId = operationOfWork(work) ?? operations.at(-1)?.id,
): EventContext => operationContext(declared, operationId);

import { DriverError, type ContainerHealth, type Labels, type Unit } from '@stave/driver-sdk';
import { unitOf } from '@stave/docker';
import { startPeriod } from './container-objects.js';

/** What is read of the record of a container: not its values. */
export interface ContainerRecord {
  readonly metadata: { readonly name: string; readonly uid: string; readonly labels: Labels };
}

interface Probe {
  readonly periodSeconds?: number;
  readonly failureThreshold?: number;
}

interface ContainerStatus {
  readonly ready: boolean;
  readonly restartCount: number;
  readonly state: {
    readonly running?: { readonly startedAt: string };
    readonly terminated?: { readonly exitCode: number; readonly reason?: string; readonly message?: string };
    readonly waiting?: { readonly reason?: string; readonly message?: string };
  };
}

/** The parts of the pod of a container that the driver reads. */
export interface ContainerPod {
  readonly metadata: { readonly name: string; readonly uid: string; readonly annotations?: Labels };
  readonly spec: { readonly containers: readonly { readonly readinessProbe?: Probe }[] };
  readonly status: {
    readonly phase?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly podIP?: string;
    readonly containerStatuses?: readonly ContainerStatus[];
  };
}

export const hasEnded = ({ status: { phase } }: ContainerPod): boolean => phase === 'Succeeded' || phase === 'Failed';

/** Returns the unit of a container. One without a pod was stopped. */
export function containerUnit({ metadata }: ContainerRecord, pod: ContainerPod | undefined, nowMs: number): Unit {
  const unit = unitOf('container', metadata.uid, metadata.labels);
  if (!pod) return { ...unit, state: 'stopped' };
  const [status] = pod.status.containerStatuses ?? [];
  const restarts = status?.restartCount ?? 0;
  if (hasEnded(pod)) {
    const exitCode = status?.state.terminated?.exitCode;
    return exitCode === undefined ? { ...unit, state: 'failed' } : { ...unit, state: 'stopped', exitCode, restarts };
  }
  // one that waits for its next restart counts as running
  if (pod.status.phase !== 'Running') return { ...unit, state: 'creating' };
  const health = healthOf(pod, status, nowMs);
  return { ...unit, state: 'running', restarts, ...(health !== undefined && { health }) };
}

function healthOf(pod: ContainerPod, status: ContainerStatus | undefined, nowMs: number): ContainerHealth | undefined {
  const { readinessProbe } = pod.spec.containers[0] ?? {};
  if (!readinessProbe || !status?.state.running) return undefined;
  if (status.ready) return 'healthy';
  const { periodSeconds = 10, failureThreshold = 3 } = readinessProbe;
  const graceSeconds = Number(pod.metadata.annotations?.[startPeriod] ?? 0) + periodSeconds * failureThreshold;
  const runsMs = nowMs - Date.parse(status.state.running.startedAt);
  return runsMs < graceSeconds * 1_000 ? 'starting' : 'unhealthy';
}

const imageMissing = ['ErrImageNeverPull', 'InvalidImageName'];
const cannotRun = ['CreateContainerConfigError', 'CreateContainerError', 'RunContainerError'];
/** A kubelet that has not yet received the secrets of a pod says so, and tries again. */
const notReceivedYet = /^failed to sync \w+ cache: timed out/;

/** Returns whether a container has started, also where it has ended again. Throws DriverError when it never will. */
export function hasStarted(pod: ContainerPod): boolean {
  const { phase, reason = '', message = '', containerStatuses = [] } = pod.status;
  const { terminated, waiting } = containerStatuses[0]?.state ?? {};
  // the kubelet of the node takes only pods for which it has room
  if (phase === 'Failed' && reason.startsWith('OutOf')) throw new DriverError('capacity', `${reason}: ${message}`);
  if (phase === 'Failed' && containerStatuses.length === 0)
    throw new DriverError('transient', `the node refused the container: ${reason} ${message}`);
  if (terminated?.reason === 'StartError' || terminated?.reason === 'ContainerCannotRun')
    throw new DriverError(
      'permanent',
      `the container could not be started: ${terminated.message ?? terminated.reason}`,
    );
  requireImage(waiting);
  const { reason: waitsFor = '', message: detail = waitsFor } = waiting ?? {};
  if (cannotRun.includes(waitsFor) && !notReceivedYet.test(detail))
    throw new DriverError('permanent', `the container could not be started: ${detail}`);
  return phase === 'Running' || hasEnded(pod);
}

/** A registry that does not answer may do so at the next try of the kubelet. */
function requireImage({
  reason = '',
  message = reason,
}: { readonly reason?: string; readonly message?: string } = {}): void {
  const isPull = reason === 'ErrImagePull' || reason === 'ImagePullBackOff';
  if (isPull && /denied|unauthorized|authentication required|forbidden/i.test(message))
    throw new DriverError('permanent', message, { code: 'image-denied' });
  if (imageMissing.includes(reason) || (isPull && /not found|manifest unknown|does not exist/i.test(message)))
    throw new DriverError('permanent', message, { code: 'image-missing' });
}

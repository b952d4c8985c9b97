import type { ContainerState } from '../container/container-state.js';
import { secondsAfter } from '../kernel/instant.js';
import { omitUndefined } from '../kernel/json.js';
import type { DisruptionCause, HealthDetector } from './container-set-events.js';

/** The reason why a member is not what it should be. */
interface Problem {
  readonly code: string;
  readonly reason: string;
}

export interface MemberProblem extends Problem {
  readonly nodeId?: string;
  /** It was lost with its node, which says nothing about the member itself. */
  readonly lost?: true;
}

/** The view that a set has of one of its members. */
export interface SetMemberView {
  readonly deleted: boolean;
  /** Since when it is active and not unhealthy; absent while it is not. */
  readonly activeSince?: string;
  /** It failed, ended although it should run, or was lost: it has to be replaced. */
  readonly failed?: MemberProblem;
  /** Why it is neither active nor failed. */
  readonly waiting?: Problem;
  /** What a health policy may find about it. `keepsNode`: it can be started again where it is. `isFixed`: it runs, and only a user moves it. */
  readonly unhealthy?: Problem & {
    readonly by: HealthDetector;
    readonly generation: number;
    readonly keepsNode: boolean;
    readonly isFixed?: true;
  };
  /** It runs, and has to leave. */
  readonly mustGo?: DisruptionCause;
  /** Its loss is suspected: nothing is done about it before it is seen again or the loss is accepted. */
  readonly suspected?: true;
  /** Its removal failed permanently. */
  readonly stuck?: string;
}

/** What a member's node, and who watches its health, say about it. */
export interface MemberSurroundings {
  /** Why nothing runs on its node any more, or may be taken away by force. */
  readonly lost?: string;
  readonly mustGo?: DisruptionCause;
  /** Why its node does not work, although nothing says that it is lost. */
  readonly nodeFailure?: string;
}

function failureOf(state: ContainerState): Omit<MemberProblem, 'nodeId'> | undefined {
  const { status, statusReason = '', work, observed, desired, contents } = state;
  const error = work.wanted?.retriesExhausted ? work.wanted.lastError : undefined;
  if (status === 'FAILED') {
    const ended = observed?.state === 'missing' ? 'missing' : state.nodeLost ? 'host-node-removed' : 'ended';
    return { code: error?.code ?? error?.failure ?? ended, reason: statusReason };
  }
  const keepsRunning = contents.restartPolicy === 'always' || contents.restartPolicy === 'unless-stopped';
  return status === 'STOPPED' && desired === 'running' && keepsRunning
    ? { code: 'ended', reason: statusReason || 'it ended although it should run' }
    : undefined;
}

/** The interval of a health check that names none. */
const CHECK_SECONDS = 30;

/** Returns since when the container is active. One whose health nothing has shown yet is given the time of one check. */
function healthySince({ activeSince, updatedAt, contents: { healthCheck }, health }: ContainerState): string {
  const since = activeSince ?? updatedAt;
  return healthCheck && health === undefined
    ? secondsAfter(since, healthCheck.intervalSeconds ?? CHECK_SECONDS)
    : since;
}

/** Returns what a health policy may find: a failure, health checks that fail, or a node that does not work. `unknown` health is none. */
function findingOf(
  { health, generation, nodeId, evictionReason, contents }: ContainerState,
  { nodeFailure }: MemberSurroundings,
  failed?: Problem,
): Pick<SetMemberView, 'unhealthy'> {
  const on = { generation, keepsNode: nodeId !== undefined && evictionReason === undefined };
  if (failed) return { unhealthy: { by: 'status', code: failed.code, reason: failed.reason, ...on } };
  const running = { ...on, ...(contents.movable === false && { isFixed: true as const }) };
  if (health === 'unhealthy')
    return { unhealthy: { by: 'healthCheck', code: 'unhealthy', reason: 'its health checks fail', ...running } };
  return nodeFailure === undefined
    ? {}
    : { unhealthy: { by: 'node', code: 'node-failed', reason: nodeFailure, ...running } };
}

/** Returns the member as its set sees it. */
export function setMemberView(state: ContainerState, around: MemberSurroundings = {}): SetMemberView {
  const { status, statusReason = '', deleting, deleted, work, nodeId, suspectedLoss } = state;
  if (deleted) return { deleted };
  const error = work.wanted?.retriesExhausted ? work.wanted.lastError : undefined;
  if (deleting) return { deleted, ...omitUndefined({ stuck: error?.message }) };
  if (suspectedLoss)
    return { deleted, suspected: true, waiting: { code: 'mass-loss-suspected', reason: statusReason } };
  if (around.lost !== undefined)
    return { deleted, failed: { code: 'node-lost', reason: around.lost, lost: true, ...omitUndefined({ nodeId }) } };
  const failed = failureOf(state);
  if (failed)
    return { deleted, failed: { ...failed, ...omitUndefined({ nodeId }) }, ...findingOf(state, around, failed) };
  const { mustGo } = around;
  const found = status === 'ACTIVE' ? findingOf(state, around) : {};
  const notHealthy = state.health === 'starting' || state.health === 'unhealthy' ? state.health : undefined;
  if (status === 'ACTIVE' && notHealthy === undefined)
    return { deleted, activeSince: healthySince(state), ...found, ...omitUndefined({ mustGo }) };
  const code = status === 'ACTIVE' ? (notHealthy ?? '') : status.toLowerCase();
  const waiting = { code, reason: statusReason || `it is ${code}` };
  return { deleted, waiting, ...found, ...omitUndefined({ mustGo }) };
}

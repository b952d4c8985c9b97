import type { DomainEvent, RingEvent, TaskEvent } from '@stave/domain';
import { Violation } from '../kernel/simulator.js';
import type { Meta } from './event-log.js';

interface OpenClaim {
  readonly taskId: string;
  readonly attempt: number;
  readonly session: string;
}

type OperationFact = { readonly operation?: { readonly id: string; readonly kind: string } };

/** Watches the log without the deciders' help: who is alive, who holds what, which operations are open. */
export class AppendOracle {
  readonly live = new Set<string>();
  readonly openOperations = new Map<string, string>();
  private readonly claims = new Map<string, OpenClaim>();

  appended(stream: string, event: DomainEvent | RingEvent, meta: Meta): void {
    this.operations(event);
    switch (event.type) {
      case 'ConductorJoined':
        this.live.add((event as Extract<RingEvent, { type: 'ConductorJoined' }>).data.session);
        break;
      case 'ConductorExpired':
      case 'ConductorLeft':
        this.live.delete((event as Extract<RingEvent, { type: 'ConductorLeft' }>).data.session);
        break;
      case 'TaskClaimed':
        this.claimed(stream, (event as Extract<TaskEvent, { type: 'TaskClaimed' }>).data);
        break;
      case 'TaskProgressed':
      case 'TaskCompleted':
      case 'TaskFailed':
      case 'TaskReleased':
        this.reported(stream, event as TaskEvent, meta);
    }
  }

  holds(stream: string, { taskId, attempt, session }: OpenClaim): boolean {
    const claim = this.claims.get(stream);
    return claim?.taskId === taskId && claim.attempt === attempt && claim.session === session;
  }

  private claimed(stream: string, claim: OpenClaim): void {
    const other = this.claims.get(stream);
    if (other && this.live.has(other.session))
      throw new Violation('claims-overlap', `${stream}: ${claim.session} while ${other.session} holds it`);
    this.claims.set(stream, claim);
  }

  private reported(stream: string, { type, data }: TaskEvent, meta: Meta): void {
    const claim = this.claims.get(stream);
    const equal = claim?.taskId === data.taskId && claim.attempt === data.attempt && claim.session === meta.session;
    if (!equal)
      throw new Violation('stale-report-folded', `${stream}: ${type} of ${meta.session} at ${claim?.session}`);
    if (type !== 'TaskProgressed') this.claims.delete(stream);
  }

  private operations(event: DomainEvent | RingEvent): void {
    if (event.type === 'OperationEnded')
      this.openOperations.delete((event.data as { readonly operationId: string }).operationId);
    const { operation } = event.data as OperationFact;
    if (operation) this.openOperations.set(operation.id, operation.kind);
  }
}

import type { CloudLedger } from './cloud-ledger.js';
import type { CloudReply, CloudRequest } from './fake-cloud.port.js';
import type { FakeUnit } from './fake-unit.js';
import { chance, faultPlan, infrastructureFailures, type FaultPlan } from './fault-plan.js';

/** A change in progress: its faults, and the key by which its chances are drawn. */
export interface Change {
  readonly plan: FaultPlan;
  readonly draw: string;
}

/** The errors that options request. */
export class InjectedFaults {
  private readonly draws = new Map<string, number>();

  constructor(private readonly ledger: CloudLedger) {}

  /** The n-th call of a kind on a resource in an attempt has the same outcome in every run with the same seed. */
  begin(request: CloudRequest, resourceId: string): Change {
    const plan = faultPlan(request.options);
    if (plan.isEmpty) return { plan, draw: '' };
    const { taskId, attempt } = request.caller;
    // the counter restarts with the process, the number of the attempt does not
    const key = `${request.call}:${resourceId}:${taskId}:${attempt}`;
    const count = (this.draws.get(key) ?? 0) + 1;
    this.draws.set(key, count);
    return { plan, draw: `${key}:${count}` };
  }

  throwInjected(request: CloudRequest, change: Change, unit: FakeUnit | undefined): void {
    const target = request.call === 'create' ? request.unit : unit;
    const call = `${target?.kind ?? ''}.${nameOf(request)}`;
    this.throwNodeFault(request, change);
    const refusals = Number(change.plan.refuse[call] ?? 0);
    if (target && this.ledger.refusalsOf(request.call, target) < refusals)
      throw this.ledger.fail(request, 'permanent', `${call} was refused by the option refuse`, unit);
    if (this.isInjected(change, 'errorRate'))
      throw this.ledger.fail(request, 'transient', 'an error was injected by the option errorRate', unit);
  }

  private throwNodeFault(request: CloudRequest, { plan: { nodeFault } }: Change): void {
    if (!nodeFault || request.call !== 'create' || request.unit.kind !== 'node') return;
    if (request.caller.attempt > nodeFault.times) return;
    const { code } = nodeFault;
    const message = `the build failed with ${code} by the option nodeFault`;
    throw this.ledger.fail(request, infrastructureFailures[code] ?? 'permanent', message, undefined, { code });
  }

  /** Returns the reply with the unit. Throws when the reply gets lost. */
  reply(request: CloudRequest, change: Change, unit: FakeUnit): CloudReply {
    if (!this.isInjected(change, 'lostReplies')) return { units: [unit] };
    throw this.ledger.fail(request, 'transient', 'the reply was lost by the option lostReplies', unit);
  }

  isInjected({ plan, draw }: Change, fault: 'errorRate' | 'lostReplies' | 'failDelete'): boolean {
    return plan[fault] > 0 && chance(plan.seed, `${fault}:${draw}`) < plan[fault];
  }
}

/** Returns the name of an operation as the option `refuse` spells it. */
const nameOf = (request: CloudRequest): string =>
  request.call === 'act' ? request.action : request.call === 'remove' ? 'delete' : request.call;

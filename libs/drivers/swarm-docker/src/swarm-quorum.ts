import type { DriverContext } from '@stave/driver-sdk';
import type { SwarmNode, SwarmNodeSpec } from './engine-types.js';
import { generationOf, label } from './labels.js';
import { until } from './until.js';
import type { SwarmManager } from './swarm-manager.js';

/** The labels that a member's engine was started with. */
export function engineLabels(member: SwarmNode): Readonly<Record<string, string>> {
  return member.Description.Engine?.Labels ?? {};
}

export function isMemberOf(member: SwarmNode, nodeId: string, generation: number): boolean {
  const labels = engineLabels(member);
  return labels[label.node] === nodeId && generationOf(labels) === generation;
}

export interface QuorumPlan {
  readonly promote: readonly SwarmNode[];
  readonly demote: readonly SwarmNode[];
}

/**
 * Which members change their part so that the largest odd number of those ready in the manager group are managers: with an even
 * number one more failure of the same size stops the Swarm. Those who are managers stay so where possible, the leader always.
 */
export function planQuorum(members: readonly SwarmNode[]): QuorumPlan {
  const group = members.filter(member => engineLabels(member)[label.role] === 'manager');
  const ready = group.filter(member => member.Status.State === 'ready' && member.Spec.Availability !== 'drain');
  const wanted = ready.length % 2 === 1 ? ready.length : Math.max(0, ready.length - 1);
  const managers = ready.filter(member => member.Spec.Role === 'manager').sort(leaderFirst);
  const standby = ready.filter(member => member.Spec.Role !== 'manager').sort(olderFirst);
  return { promote: standby.slice(0, Math.max(0, wanted - managers.length)), demote: managers.slice(wanted || 1) };
}

function leaderFirst(a: SwarmNode, b: SwarmNode): number {
  return Number(b.ManagerStatus?.Leader ?? false) - Number(a.ManagerStatus?.Leader ?? false) || olderFirst(a, b);
}

function olderFirst(a: SwarmNode, b: SwarmNode): number {
  return a.CreatedAt.localeCompare(b.CreatedAt);
}

const asManager = (spec: SwarmNodeSpec): SwarmNodeSpec => ({ ...spec, Role: 'manager' });
const asWorker = (spec: SwarmNodeSpec): SwarmNodeSpec => ({ ...spec, Role: 'worker' });

/** Promotes and demotes by the plan, and waits until those promoted take part. `without` counts as gone already. */
export async function balanceQuorum(ctx: DriverContext, manager: SwarmManager, without?: SwarmNode): Promise<void> {
  const members = (await manager.nodes(ctx)).filter(member => member.ID !== without?.ID);
  const plan = planQuorum(members);
  for (const member of plan.promote) await promote(ctx, manager, member);
  for (const member of plan.demote) await demote(ctx, manager, member);
}

async function promote(ctx: DriverContext, manager: SwarmManager, member: SwarmNode): Promise<void> {
  ctx.progress('promote a manager');
  await manager.change(ctx, member.ID, asManager);
  await until({ what: 'promotion of a manager', withinMs: 20_000, signal: ctx.signal, now: ctx.now }, async () => {
    const seen = await manager.node(ctx, member.ID);
    return !seen || seen.ManagerStatus?.Reachability === 'reachable' ? true : undefined;
  });
}

/** Waits until the member is out of the managers' quorum; a dead one too can be demoted, while the others have a majority. */
export async function demote(ctx: DriverContext, manager: SwarmManager, member: SwarmNode): Promise<void> {
  ctx.progress('demote a manager');
  await manager.change(ctx, member.ID, asWorker);
  await until({ what: 'demotion of a manager', withinMs: 20_000, signal: ctx.signal, now: ctx.now }, async () => {
    const seen = await manager.node(ctx, member.ID);
    return !seen?.ManagerStatus ? true : undefined;
  });
}

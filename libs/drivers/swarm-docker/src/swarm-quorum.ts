import { DriverError, type DriverContext } from '@stave/driver-sdk';
import { generationOf, label, pollUntil, type SwarmNode, undefinedOn } from '@stave/docker';
import type { NodeContainer } from './inventory.js';
import type { SwarmManager } from './swarm-manager.js';

/** Returns the labels of a member: those of its engine, and on a machine, whose engine has none of ours, those in the Swarm. */
export function engineLabels({ Description, Spec }: SwarmNode): Readonly<Record<string, string>> {
  return { ...Spec.Labels, ...Description.Engine?.Labels };
}

/** Whether the member is this node. A machine that has joined and is not labelled yet is known by its address. */
export function isMemberOf(member: SwarmNode, { nodeId, generation, machine, address }: NodeContainer): boolean {
  const labels = engineLabels(member);
  if (machine && labels[label.node] === undefined) return member.Status.Addr === address;
  return labels[label.node] === nodeId && generationOf(labels) === generation;
}

/** Lists the members of a Swarm. Throws a transient DriverError when the manager leaves, or has not answered within the time of a handover. */
export function listMembers(ctx: DriverContext, manager: SwarmManager): Promise<readonly SwarmNode[]> {
  const requirePossible = async (): Promise<void> => {
    if (await manager.hasLeft(ctx)) throw new DriverError('transient', 'the manager has left its Swarm meanwhile');
  };
  const options = { what: 'list of the members of the Swarm', withinMs: handoverWithinMs, requirePossible };
  return pollUntil(ctx, options, () => manager.nodes(ctx));
}

/** The time for one step of a handover. A member that was demoted a moment ago takes about 32 s to become a manager again. */
export const handoverWithinMs = 90_000;

/**
 * Plans the promotions and demotions that make the largest odd number of members of the manager group Swarm managers; an even number
 * tolerates no more failures than the odd number below it. Existing managers are kept where possible, and the leader always.
 *
 * A manager that does not answer counts, because it is part of the quorum until it is demoted. A standby counts only when it can become a
 * manager; after a change of leader Swarm reports its state as `unknown` for a while. `keep`, the manager that carries out the plan, is
 * demoted last.
 */
export function planQuorum(members: readonly SwarmNode[], keep?: string) {
  const group = members.filter(member => engineLabels(member)[label.role] === 'manager');
  const managers = group
    .filter(member => member.Spec.Role === 'manager')
    .sort((a, b) => rank(b, keep) - rank(a, keep) || olderFirst(a, b));
  const standby = group.filter(member => member.Spec.Role !== 'manager' && canBePromoted(member)).sort(olderFirst);
  const all = managers.length + standby.length;
  const wanted = all % 2 === 1 ? all : Math.max(1, all - 1);
  return { promote: standby.slice(0, Math.max(0, wanted - managers.length)), demote: managers.slice(wanted) };
}

function canBePromoted(member: SwarmNode): boolean {
  return ['ready', 'unknown'].includes(member.Status.State) && member.Spec.Availability !== 'drain';
}

/** Ranks the managers to keep: `keep`, then the leader, then reachable ones. */
function rank(member: SwarmNode, keep: string | undefined): number {
  if (member.ID === keep) return 3;
  if (member.ManagerStatus?.Leader) return 2;
  return member.ManagerStatus?.Reachability === 'reachable' ? 1 : 0;
}

function olderFirst(a: SwarmNode, b: SwarmNode): number {
  return a.CreatedAt.localeCompare(b.CreatedAt);
}

/** Returns whether the member is in the raft quorum, or is about to join it. */
export function isInQuorum(member: SwarmNode): boolean {
  return member.Spec.Role === 'manager' || member.ManagerStatus !== undefined;
}

/**
 * Promotes and demotes members as planned and waits until they have changed. `without` counts as removed already. Throws a transient
 * DriverError when a step is not complete within its time.
 */
export async function balanceQuorum(ctx: DriverContext, manager: SwarmManager, without?: SwarmNode): Promise<void> {
  const members = await listMembers(ctx, manager);
  const plan = planQuorum(
    members.filter(member => member.ID !== without?.ID),
    members.find(member => isMemberOf(member, manager.container))?.ID,
  );
  for (const member of plan.promote) await promote(ctx, manager, member);
  for (const member of plan.demote) await demote(ctx, manager, member);
}

async function promote(ctx: DriverContext, manager: SwarmManager, member: SwarmNode): Promise<void> {
  ctx.progress('promote a manager');
  await pollUntil(ctx, { what: 'promotion of a manager', withinMs: handoverWithinMs }, async () => {
    await manager.change(ctx, member.ID, { Role: 'manager' });
    const seen = await manager.node(ctx, member.ID);
    return !seen || seen.ManagerStatus?.Reachability === 'reachable' ? true : undefined;
  });
}

/**
 * Demotes a member, and waits until it has left the raft quorum. A member that is down can be demoted while the others have a majority.
 * Swarm refuses a demotion that would cost the majority (400), which may change when a recently promoted member has caught up, and the
 * demotion of a member that has not joined the quorum yet (404). Both are repeated.
 */
export async function demote(ctx: DriverContext, manager: SwarmManager, member: SwarmNode): Promise<void> {
  ctx.progress('demote a manager');
  await pollUntil(ctx, { what: 'demotion of a manager', withinMs: handoverWithinMs }, async () => {
    await undefinedOn([400, 404], manager.change(ctx, member.ID, { Role: 'worker' }));
    const seen = await manager.node(ctx, member.ID);
    return !seen?.ManagerStatus ? true : undefined;
  });
}

import type { DistributedStack } from '../../distributed/stack.js';
import { Crasher } from '../services/crasher.js';
import type { SeenAppend } from '../services/watched-store.js';
import type { Random } from '../writes/write.js';

/** The share of the watched appends that are followed by a kill while no killed process is starting. */
const SHARE = 0.3;
/** The share of the kills that take both replicas of a service. */
const BOTH = 0.2;
/** The share of the kills that take a process without a part in the append. */
const OTHERS = 0.25;
/** The share of the reservations that arrive late, after a kill of both possible senders. */
const LATE = 0.4;

/** In the middle of these, a decision is in the log and what follows from it is not. */
const middles: Readonly<Record<string, string>> = {
  PlacementsReserved: 'container-scheduler',
  PlacementsReleased: 'container-scheduler',
  PlacementNodeClosed: 'container-scheduler',
  PlacementNodesClosed: 'nodegroup-service',
  AttachmentClosed: 'container-scheduler',
  AttachmentRemoved: 'container-scheduler',
  VolumeDetached: 'container-scheduler',
  ContainerPlaced: 'container-scheduler',
  ContainerEvictionRequested: 'container-scheduler',
  MembersAdded: 'container-scheduler',
  MemberRemovalAccepted: 'container-scheduler',
  DisruptionGranted: 'container-scheduler',
  RolloutStarted: 'container-scheduler',
  ContainerSetResized: 'container-scheduler',
  NodeEvictionCompleted: 'nodegroup-service',
  NodesAdded: 'nodegroup-service',
  NodeGroupResized: 'nodegroup-service',
  GrowthProposed: 'nodegroup-service',
  ShrinkProposed: 'nodegroup-service',
  ProposalWithdrawn: 'container-scheduler',
  ScaleProposalRefused: 'container-scheduler',
  NodeRemovalAccepted: 'nodegroup-service',
};
const bystanders = ['cluster-service', 'nodegroup-service', 'api-gateway', 'one', 'two'];

/** Kills replicas right after appends in the middle of reservations, rollouts and removals, at random but for the seed. */
export class AppendKills {
  /** How many kills followed each type of event. */
  readonly after = new Map<string, number>();
  private readonly crasher: Crasher;
  private resting: Promise<void> | undefined;
  private stopped = false;

  constructor(
    stack: Pick<DistributedStack, 'process'>,
    private readonly random: Random,
  ) {
    this.crasher = new Crasher(stack);
  }

  get total(): number {
    return [...this.after.values()].reduce((sum, n) => sum + n, 0);
  }

  /** Is called when the append is durable and not answered yet. */
  seen({ types }: SeenAppend): void {
    const type = types.find(each => middles[each] !== undefined);
    if (type === undefined || this.stopped || this.resting || this.random() >= SHARE) return;
    const service = this.random() < OTHERS ? this.bystander() : (middles[type] ?? '');
    this.kill(type, this.victimsOf(service));
  }

  private kill(after: string, victims: readonly string[]): void {
    this.after.set(after, (this.after.get(after) ?? 0) + victims.length);
    for (const victim of victims) this.crasher.crash(victim);
    // a process that does not start is reported by settled()
    this.resting = this.crasher.settled().then(
      () => void (this.resting = undefined),
      () => undefined,
    );
  }

  /** Returns whether a reservation has to be late. Its sender is killed then. */
  isLate(types: readonly string[]): boolean {
    const isFree = !this.stopped && !this.resting && types.includes('PlacementsReserved');
    if (!isFree || this.random() >= LATE) return false;
    this.kill('a late PlacementsReserved', ['container-scheduler', 'container-scheduler-2']);
    return true;
  }

  /** Kills nothing more, and resolves when every process runs. Throws when one did not start. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.crasher.settled();
  }

  resume(): void {
    this.stopped = false;
  }

  private bystander(): string {
    return bystanders[Math.floor(this.random() * bystanders.length)] ?? '';
  }

  private victimsOf(service: string): readonly string[] {
    if (service === 'one' || service === 'two') return [service];
    const both = [service, `${service}-2`];
    return this.random() < BOTH ? both : [both[Math.floor(this.random() * 2)] ?? ''];
  }
}

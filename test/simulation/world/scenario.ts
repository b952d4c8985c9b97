import {
  cancelNodeGroupOperation,
  cordonNode,
  createCluster,
  deleteCluster,
  drainNode,
  rebuildNode,
  rebuildNodeGroup,
  rebootNode,
  rebootNodeGroup,
  removeMember,
  replaceMember,
  resizeNodeGroup,
  retryNodeGroup,
  updateCluster,
  updateNodeGroup,
  type GroupDeclaration,
  type NodeGroupSpec,
  type OperationStart,
} from '@stave/domain';
import type { Models } from '../services/models.js';
import type { Replica } from '../services/replica.js';
import { DRIVER } from '../services/sim-task.js';
import type { World } from './world.js';

const spec = (count: number): NodeGroupSpec => ({
  role: 'worker',
  count,
  minCount: 0,
  flavor: { cpus: 1, memoryMb: 1_024 },
  zones: [],
  labels: {},
  taints: [],
  conductorGroup: null,
  options: {},
});

export const CLUSTER = 'k1';

/** What people ask for in one schedule; each request may be lost on its way. */
export class Scenario {
  private operations = 0;
  private readonly groups: readonly GroupDeclaration[];

  constructor(
    private readonly world: World,
    private readonly faultsMs: number,
  ) {
    const { random } = world.sim;
    this.groups = Array.from({ length: random.int(1, 2) }, (_, i) => ({
      id: `g${i}`,
      name: `group-${i}`,
      spec: spec(random.int(1, 3)),
    }));
  }

  start(): void {
    const { sim } = this.world;
    this.create();
    const actions = sim.random.within(sim.profile.actions);
    for (let i = 0; i < actions; i++) sim.after(sim.random.int(3_000, this.faultsMs), () => this.act());
    if (sim.random.chance(sim.profile.deleted))
      sim.after(sim.random.int(this.faultsMs / 4, this.faultsMs), () => this.remove());
  }

  private create(): void {
    const { sim, log } = this.world;
    if (log.read(`cluster-${CLUSTER}`).length > 0) return;
    const operation = this.operation('cluster.create');
    this.at(({ models }) =>
      models.clusters.execute(CLUSTER, state =>
        state.created
          ? { ok: true, events: [] }
          : createCluster({
              id: CLUSTER,
              name: 'k',
              projectId: 'p',
              groups: this.groups,
              operation,
              spec: {
                driver: DRIVER.name,
                driverVersion: DRIVER.version,
                conductorGroup: 'a',
                network: {},
                api: {},
                labels: {},
                defaults: {},
                options: {},
              },
            }),
      ),
    );
    sim.after(2_000, () => this.create());
  }

  private act(): void {
    const { random, profile } = this.world.sim;
    const group = random.pick(this.groups)?.id ?? '';
    const kind = random.pick(profile.kinds) ?? 'resize';
    const conductorGroup = random.pick(['a', 'b']) ?? 'a';
    const count = random.int(0, 4);
    const draw = random.next();
    this.at(({ models }) => {
      const members = [...(models.groups.get(group)?.members.keys() ?? [])];
      const node = members[Math.floor(draw * members.length)];
      this.world.sim.trace(() => `asked: ${kind} ${group} ${node ?? ''}`);
      if (kind === 'resize') models.groups.execute(group, s => resizeNodeGroup(s, count, this.operation('resize')));
      const update = { operation: { id: 'none', kind: 'cluster.update', total: 1 } }; // begins none
      if (kind === 'move') models.clusters.execute(CLUSTER, s => updateCluster(s, { conductorGroup }, update));
      const by = { operationId: 'none' };
      if (kind === 'moveGroup') models.groups.execute(group, s => updateNodeGroup(s, { conductorGroup }, by));
      this.changeGroup(kind, models, group, draw);
      if (node === undefined) return;
      const operation = this.operation(kind);
      const successor = this.world.freshId();
      if (kind === 'remove') models.groups.execute(group, s => removeMember(s, node, operation, true));
      if (kind === 'replace') models.groups.execute(group, s => replaceMember(s, node, successor, operation));
      if (kind === 'rebuild') models.nodes.execute(node, s => rebuildNode(s, operation));
      if (kind === 'drain') models.nodes.execute(node, s => drainNode(s, operation));
      if (kind === 'cordon' || kind === 'uncordon') models.nodes.execute(node, s => cordonNode(s, kind === 'cordon'));
      if (kind === 'reboot') models.nodes.execute(node, s => rebootNode(s, operation, 'hard'));
    });
  }

  /** What goes through all of its nodes. */
  private changeGroup(kind: string, { groups }: Models, group: string, draw: number): void {
    const { id } = this.operation(kind);
    const some = Math.ceil(draw * 3);
    const updateStrategy = { maxSurge: some - 1, maxUnavailable: 1 };
    const flavor = { cpus: some, memoryMb: 1_024 };
    const labels = { some: String(some) };
    const by = { operationId: id };
    if (kind === 'roll') groups.execute(group, s => updateNodeGroup(s, { flavor, updateStrategy }, by));
    if (kind === 'tag') groups.execute(group, s => updateNodeGroup(s, { labels }, by));
    if (kind === 'rebuildGroup') groups.execute(group, s => rebuildNodeGroup(s, { id, kind }));
    if (kind === 'rebootGroup') groups.execute(group, s => rebootNodeGroup(s, { id, kind }, 'soft'));
    if (kind === 'retryGroup') groups.execute(group, s => retryNodeGroup(s, { id, kind }));
    if (kind === 'cancelGroup') groups.execute(group, s => cancelNodeGroupOperation(s, s.operations[0]?.id ?? ''));
  }

  private remove(): void {
    const operation = this.operation('cluster.delete');
    this.at(({ models }) => models.clusters.execute(CLUSTER, s => deleteCluster(s, operation)));
  }

  private operation(kind: string): OperationStart {
    return { id: `o${++this.operations}`, kind, total: 1 };
  }

  /** Asked once: whoever asks twice does so with a key that the request ledger knows. */
  private at(run: (replica: Replica) => void): void {
    const { sim } = this.world;
    const replica = sim.random.pick(this.world.replicas);
    if (replica?.process.up) replica.process.deliver(() => run(replica));
  }
}

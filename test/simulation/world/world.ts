import { SimConductor } from '../conductor/sim-conductor.js';
import { Network } from '../kernel/network.js';
import { Simulator } from '../kernel/simulator.js';
import { Replica } from '../services/replica.js';
import { Cloud } from './cloud.js';
import { Election } from './election.js';
import { EventLog } from './event-log.js';
import type { Profile } from '../kernel/profile.js';
import { isOrphan } from './judge.js';
import type { Mutation } from './mutation.js';

/** Everything of one schedule. */
export class World {
  readonly sim: Simulator;
  readonly network: Network;
  readonly log: EventLog;
  readonly cloud: Cloud;
  readonly replicas: readonly Replica[];
  readonly conductors: readonly SimConductor[];
  readonly election: Election;
  private ids = 0;

  constructor(seed: number, profile: Profile, tracing: boolean, mutation?: Mutation) {
    const mutated = mutation === undefined ? {} : { mutation };
    this.sim = new Simulator(seed, profile, tracing);
    this.network = new Network(this.sim);
    this.log = new EventLog(this.sim, mutation);
    this.cloud = new Cloud(this.sim, unit => isOrphan(this.log, this.log.truth, unit), mutation);
    const { sim, network, log, cloud } = this;
    const freshId = (): string => this.freshId();
    this.replicas = ['s1', 's2'].map(name => new Replica(name, { sim, network, log, freshId, ...mutated }));
    const { replicas } = this;
    this.election = new Election(sim, replicas);
    const anyReplica = (): Replica | undefined => sim.random.pick(replicas);
    const around = { sim, network, cloud, log, replicas, anyReplica, ...mutated };
    const groups = ['a', 'a', 'b', ...(sim.random.chance(0.3) ? ['b'] : [])];
    this.conductors = groups.map((group, i) => new SimConductor(`c${i}`, group, around));
  }

  start(): void {
    for (const { process } of [...this.replicas, ...this.conductors]) process.start();
    this.election.hold();
  }

  freshId(): string {
    return `n${++this.ids}`;
  }
}

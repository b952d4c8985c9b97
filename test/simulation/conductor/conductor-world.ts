import type { Network } from '../kernel/network.js';
import type { Simulator } from '../kernel/simulator.js';
import type { Replica } from '../services/replica.js';
import type { Cloud } from '../world/cloud.js';
import type { EventLog } from '../world/event-log.js';
import type { Mutation } from '../world/mutation.js';

export interface ConductorWorld {
  readonly sim: Simulator;
  readonly network: Network;
  readonly cloud: Cloud;
  readonly log: EventLog;
  readonly replicas: readonly Replica[];
  readonly anyReplica: () => Replica | undefined;
  readonly mutation?: Mutation;
}

import { LogChecker } from '../checks/log-checker.js';
import { ReferenceModel } from '../checks/reference-model.js';
import { RetainedData } from '../checks/retained-data.js';
import { installGlobals } from '../kernel/globals.js';
import { Network } from '../kernel/network.js';
import type { Process } from '../kernel/process.js';
import type { Profile } from '../kernel/profile.js';
import { Simulator } from '../kernel/simulator.js';
import { SimulatedCloud } from '../ports/cloud.js';
import { SharedDocuments } from '../ports/documents.js';
import { Elections } from '../ports/elections.js';
import { EventLog } from '../ports/event-log.js';
import { Broker } from '../ports/messaging.js';
import { conductorProcess } from '../processes/conductor.js';
import type { Outside } from '../processes/ports.js';
import { SERVICES, serviceProcess, type Service } from '../processes/services.js';

const REPLICAS = 2;

/** The environment of one schedule: stores, network, cloud, two replicas of each service and some conductors. */
export class Environment {
  readonly outside: Outside;
  readonly reference: ReferenceModel;
  readonly checker: LogChecker;
  readonly documents: ReadonlyMap<Service, SharedDocuments>;
  readonly services: readonly Process[];
  readonly conductors: readonly Process[];
  private readonly restoreGlobals: () => void;

  constructor(seed: number, profile: Profile, tracing: boolean) {
    const sim = new Simulator(seed, profile, tracing);
    this.restoreGlobals = installGlobals(sim);
    this.outside = {
      sim,
      network: new Network(sim),
      log: new EventLog(),
      broker: new Broker(),
      elections: new Elections(sim),
      cloud: new SimulatedCloud(),
    };
    this.reference = new ReferenceModel(this.outside.log);
    this.checker = new LogChecker(this.outside);
    new RetainedData(this.outside, this.reference);
    const documents = new Map(SERVICES.map(service => [service, new SharedDocuments()]));
    this.documents = documents;
    const pinned = sim.random.chance(profile.pinned);
    const registered = sim.random.chance(profile.registered);
    this.services = [...documents].flatMap(([service, store]) =>
      Array.from({ length: REPLICAS }, (_, i) => {
        const keyMode = pinned && service === 'nodegroup-service' && i === 0 ? 'pinned' : 'group';
        const user = registered ? ({ release: '1.0.0', keyMode } as const) : undefined;
        return serviceProcess(this.outside, service, `${service}-${i + 1}`, store, user);
      }),
    );
    const groups = ['a', 'a', 'b', ...(sim.random.chance(0.3) ? ['b'] : [])];
    this.conductors = groups.map((group, i) =>
      conductorProcess(this.outside, { id: `conductor-${i}`, group, keyMode: pinned && i === 0 ? 'pinned' : 'group' }),
    );
  }

  get processes(): readonly Process[] {
    return [...this.services, ...this.conductors];
  }

  /** Loses the documents of all services at once. */
  loseDocuments(): void {
    this.outside.sim.note(() => 'all documents are lost');
    for (const store of this.documents.values()) store.lose();
  }

  start(): void {
    for (const process of this.processes) this.outside.sim.after(0, () => process.start());
  }

  close(): void {
    for (const process of this.processes) process.kill();
    this.outside.sim.close();
    this.restoreGlobals();
  }
}

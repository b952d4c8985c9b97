import type { Messaging } from '@stave/platform';
import type { ServicePorts } from '@stave/service-kit';
import pino, { type Logger } from 'pino';
import type { Network } from '../kernel/network.js';
import type { Process } from '../kernel/process.js';
import type { Simulator } from '../kernel/simulator.js';
import { SimulatedCloud } from '../ports/cloud.js';
import { SimulatedDocuments, type SharedDocuments } from '../ports/documents.js';
import { Elections } from '../ports/elections.js';
import type { EventLog } from '../ports/event-log.js';
import { SimulatedEventStore } from '../ports/event-store.js';
import { Broker, SimulatedMessaging } from '../ports/messaging.js';

const silent = pino({ level: 'silent' });

/** The parts of one schedule that outlive every process. */
export interface Outside {
  readonly sim: Simulator;
  readonly network: Network;
  readonly log: EventLog;
  readonly broker: Broker;
  readonly elections: Elections;
  readonly cloud: SimulatedCloud;
}

export function messagingOf({ network, broker, elections }: Outside, process: Process): Messaging {
  return new SimulatedMessaging(process, network, broker, elections);
}

/** Returns a logger that writes to the trace of the schedule. */
export function loggerOf({ sim }: Outside, process: Process): Logger {
  if (!sim.tracing) return silent;
  const write = (line: string): void => {
    const { msg, err, ...fields } = JSON.parse(line) as { msg: string; err?: { message: string } };
    sim.note(() => `${process.name} logs: ${msg} ${err?.message ?? ''} ${JSON.stringify(fields)}`);
  };
  return pino({ level: 'warn', base: null, timestamp: false }, { write });
}

/** Returns the ports of one life of a service's process. */
export function servicePorts(outside: Outside, process: Process, documents: SharedDocuments): ServicePorts {
  const enter = process.entrance();
  return {
    eventStore: new SimulatedEventStore(process, outside.network, outside.log),
    documentStore: new SimulatedDocuments(process, outside.network, documents),
    messaging: messagingOf(outside, process),
    log: loggerOf(outside, process),
    onFatal: error => enter(() => process.fail(error)),
  };
}

import type { ServiceName } from '@stave/contracts';
import type { DocumentStore, EventStore, Logger, Messaging } from '@stave/platform';
import type { NewerEvents } from '../events/newer-events.js';
import type { RingUser } from '../ring/ring-registration.js';
import type { SnapshotFile } from '../snapshots/snapshot-file.js';
import type { CommandLoad } from '../work/command-load.js';

/** The ports over which a service runs, and what its process decides for it. */
export interface ServicePorts {
  readonly eventStore: EventStore;
  readonly documentStore: DocumentStore;
  readonly messaging: Messaging;
  readonly log: Logger;
  /** Called when an event cannot be handled: the state in memory is wrong from then on, so the process should restart. Default: the error is only logged. */
  readonly onFatal?: (error: unknown) => void;
  /** How this process registers in the ring; absent: it does not register (a service that runs alone). */
  readonly ringUser?: RingUser;
  /** Where folded state is saved for the next start; absent: each start replays the complete log. */
  readonly snapshotFile?: SnapshotFile;
  /** Milliseconds for which operations are listed after their end; absent: 30 days. */
  readonly operationsKeptMs?: number;
  /** Shared by the services of one process; absent: commands do not come before other work. */
  readonly commandLoad?: CommandLoad;
  /** What is done about events of a newer release; absent: the service makes its own. */
  readonly newerEvents?: NewerEvents;
  /** The elected replica writes read models and reconciles only after this has resolved; absent: at once. */
  readonly worksFrom?: Promise<void>;
}

export interface ServiceOptions extends ServicePorts {
  readonly service: ServiceName;
  /** First letter of the ids of operations that the service accepts; see `operationPrefixes` in the contracts. */
  readonly operationIdPrefix: 'c' | 'n' | 's';
}

export const SERVICE_OPTIONS = Symbol('ServiceOptions');
/** Injection token of the event store; events of old schema versions are upcast when they are read. */
export const EVENT_STORE = Symbol('EventStore');
/** Injection token of the event store as written, without upcasting; for publication. */
export const STORED_EVENTS = Symbol('StoredEvents');
export const MESSAGING = Symbol('Messaging');
export const LOGGER = Symbol('Logger');

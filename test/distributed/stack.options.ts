export interface ConductorChoice {
  /** Letters, digits, - and _; also the name of its process. */
  readonly id: string;
  /** Empty: the default group. */
  readonly group: string;
  readonly env?: Readonly<Record<string, string>>;
}

export type ServiceProcessName = 'cluster-service' | 'nodegroup-service' | 'container-scheduler' | 'api-gateway';

export interface DistributedOptions {
  /** An absolute path; stores, journal, logs and the administrator's key are in it. */
  readonly dataDir: string;
  readonly conductors: readonly ConductorChoice[];
  /** Processes by service, default 1 each; more than one of a service that has read models needs `mongo`. */
  readonly replicas?: Partial<Readonly<Record<ServiceProcessName, number>>>;
  /** Read models over MongoDB's protocol (MONGODB_URL or FerretDB) instead of in each service's process. */
  readonly mongo?: boolean;
  /** Default: `fake`. */
  readonly driversEnabled?: readonly string[];
  /** Of the first gateway; default a free port on 127.0.0.1. */
  readonly port?: number;
  readonly host?: string;
  /** A store of EventStoreDB's protocol; default the embedded store in a process of its own. */
  readonly eventStoreUrl?: string;
  /** For every process, e.g. LOG_LEVEL or SESSION_TIMEOUT_MS. */
  readonly env?: Readonly<Record<string, string>>;
}

/** What the stack needs cannot be had on this machine; the message says how to get it. */
export class ServerMissingError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ServerMissingError';
  }
}

export interface ConductorChoice {
  /** The id of the conductor and the name of its process; letters, digits, - and _. */
  readonly id: string;
  /** The conductor group; an empty string is the default group. */
  readonly group: string;
  readonly env?: Readonly<Record<string, string>>;
}

export type ServiceProcessName = 'cluster-service' | 'nodegroup-service' | 'container-scheduler' | 'api-gateway';

export interface DistributedOptions {
  /** Absolute path of the directory for stores, journal, logs and the administrator's key. */
  readonly dataDir: string;
  readonly conductors: readonly ConductorChoice[];
  /** Number of processes by service, default 1; more than one of a service with read models needs `mongo`. */
  readonly replicas?: Partial<Readonly<Record<ServiceProcessName, number>>>;
  /** Whether read models use MongoDB's protocol (MONGODB_URL or FerretDB) instead of memory in each service. */
  readonly mongo?: boolean;
  /** The enabled drivers; default `fake`. */
  readonly driversEnabled?: readonly string[];
  /** Port of the first gateway; default: a free port on 127.0.0.1. */
  readonly port?: number;
  readonly host?: string;
  /**
   * A store with EventStoreDB's protocol; default: that of EVENTSTORE_URL with a stream prefix of this data directory, else
   * the embedded store in a separate process.
   */
  readonly eventStoreUrl?: string;
  /** The folder of the release whose services, gateways and conductors run; default: this repository. */
  readonly release?: string;
  /** Settings of every process, for example LOG_LEVEL or SESSION_TIMEOUT_MS. */
  readonly env?: Readonly<Record<string, string>>;
  /** More settings of single processes, by name, such as `cluster-service-2`. */
  readonly envOf?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Thrown when a server that the stack needs is not available on this machine; the message says how to install it. */
export class ServerMissingError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ServerMissingError';
  }
}

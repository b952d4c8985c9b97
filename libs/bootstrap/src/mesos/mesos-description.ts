import type { MachineDescription } from '../description/machine-description.js';

/** A master of Mesos, which is also a server of ZooKeeper. */
export interface MesosMaster {
  /** The number of its server of ZooKeeper, 1 to 255. */
  readonly id: number;
  /** Its address or name for all nodes. */
  readonly host: string;
}

/** Who agents, frameworks and clients are for the masters; the secret is one. */
export interface MesosCredential {
  readonly principal: string;
  readonly secret: string;
}

/** Certificates of libprocess, by which all nodes and clients speak. PEM; the key is a secret. */
export interface MesosTls {
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

/** A node of a Mesos cluster. Masters elect their leader by ZooKeeper, which runs beside them; agents find the leader there. */
export interface MesosNodeDescription extends MachineDescription {
  readonly engine: 'mesos';
  readonly role: 'master' | 'agent';
  readonly cluster: {
    readonly name: string;
    /** All masters: an odd number, because a majority decides. */
    readonly masters: readonly MesosMaster[];
    readonly credential: MesosCredential;
  };
  /** Of Mesos; absent: any. */
  readonly version?: string;
  /** Of a master: which of the masters it is. */
  readonly masterId?: number;
  /** Of an agent: what frameworks choose it by. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** Of an agent, in order. Default: `docker` and `mesos`. */
  readonly containerizers?: readonly ('docker' | 'mesos')[];
  /** Of a master: runs Marathon, on this port. */
  readonly marathon?: { readonly port: number; readonly version?: string };
  readonly tls?: MesosTls;
}

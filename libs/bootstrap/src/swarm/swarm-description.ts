import type { MachineDescription } from '../description/machine-description.js';

/** How a manager offers the API of its engine to clients with a certificate of the authority. PEM; the key is a secret. */
export interface EngineApi {
  readonly port: number;
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

/**
 * A certificate with which a node asks a manager for its join token when it boots, so that nobody else has to reach the manager's engine. It
 * opens the whole engine: it must expire soon after the node is expected to be ready. PEM; the key is a secret.
 */
export interface JoinTicket {
  /** The port of the engine's API on the managers. */
  readonly port: number;
  /** The name in the certificates of the managers. */
  readonly serverName: string;
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

/** What the first manager decides for the Swarm. */
export interface SwarmSettings {
  /** Networks from which overlay networks get their subnets. */
  readonly addressPools?: readonly string[];
  /** The prefix length of those subnets. Default of the engine: 24. */
  readonly subnetPrefix?: number;
  /** How long the certificates of nodes are valid; nodes renew them in time. */
  readonly certificateHours?: number;
  readonly heartbeatSeconds?: number;
}

/** A node of a Swarm. The first manager initializes the Swarm; the others join it by any of its managers, `address:2377`. */
export interface SwarmNodeDescription extends MachineDescription {
  readonly engine: 'swarm';
  readonly role: 'first-manager' | 'manager' | 'worker';
  readonly engineVersion?: string;
  /** For all but the first manager: the token, which is a secret, or a ticket for it. */
  readonly join?: { readonly managers: readonly string[] } & (
    { readonly token: string } | { readonly ticket: JoinTicket }
  );
  readonly settings?: SwarmSettings;
  /** Labels of the engine, which the Swarm shows. */
  readonly engineLabels?: Readonly<Record<string, string>>;
  readonly registryMirrors?: readonly string[];
  readonly api?: EngineApi;
}

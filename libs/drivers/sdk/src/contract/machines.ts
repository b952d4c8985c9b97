import type { DriverContext } from './context.js';

/** How a driver reaches the engine of a machine. */
export interface MachineEngine {
  /** Of a scheme that the manifest names in `machineSchemes`. */
  readonly url: string;
  /** Names a directory below `SECRETS_DIR/machines` on the conductor's machine. */
  readonly secret?: string;
}

/** A machine that an operator has registered. */
export interface Machine {
  readonly id: string;
  readonly engine: MachineEngine;
  /** What the engine reported as its identity when the machine was registered. Another engine at its URL is not touched. */
  readonly engineId?: string;
}

/** A machine in a task of its own. `generation` counts these tasks. */
export interface MachineRef extends Machine {
  readonly generation: number;
}

/** What is on an engine, each by a name that stays the same as long as it is there. */
export interface MachineContents {
  readonly containers: readonly string[];
  readonly volumes: readonly string[];
  readonly networks: readonly string[];
  /** What else a node changes on an engine, such as its membership in a cluster: by name. */
  readonly state: Readonly<Record<string, string>>;
}

/** What is left of a node, or is missing afterwards, is found by comparing the contents before and after. */
export interface MachineProbe {
  /** Identifies the engine whatever the URL by which it is reached, so that it is registered once. */
  readonly engineId: string;
  /** CPU cores, MiB and GiB as the engine reports them. */
  readonly capacity: { readonly cpus: number; readonly memoryMb: number; readonly diskGb?: number };
  readonly engineVersion?: string;
  readonly contents: MachineContents;
}

/**
 * Machines that exist, of which the driver makes nodes; present when the manifest declares the capability `machines`. A node on a machine
 * has it in its specification and in each reference (`machine`): its driver uses that engine and no other. The machine is claimed for the
 * node before, and belongs to no other node until it is cleaned.
 */
export interface MachineLifecycle {
  /**
   * Examines an engine and changes nothing. Throws `transient` with the code `engine-unreachable` where it does not answer, and `permanent`
   * with the code `engine-unsuitable` where it cannot be a node.
   */
  probe(ctx: DriverContext, machine: MachineRef): Promise<MachineProbe>;
  /**
   * Removes what nodes of this installation left on the engine, and nothing else, then lists what is there; the service compares it with
   * what was there before. Idempotent. Throws `transient` with the code `engine-unreachable` where the engine does not answer.
   */
  clean(ctx: DriverContext, machine: MachineRef): Promise<MachineContents>;
}

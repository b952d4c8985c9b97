/** A file of the machine, owned by root. */
export interface MachineFile {
  readonly path: string;
  readonly content: string;
  /** The permissions as a number, for example 0o600. */
  readonly mode: number;
}

/** A unit of systemd. `name` has its type: `x.service`, `x.timer`, or, for a drop-in, `x.service.d/y.conf`. */
export interface MachineUnit {
  readonly name: string;
  readonly content: string;
  /** Whether it is started at every boot. */
  readonly enabled: boolean;
}

/** One step of the bootstrapping: a script that changes nothing when its result exists, and that can be repeated after an interruption. */
export interface BootstrapStep {
  readonly name: string;
  readonly script: string;
}

/** What a part of a node adds to a machine. */
export interface MachinePart {
  readonly files?: readonly MachineFile[];
  readonly units?: readonly MachineUnit[];
  /** Steps in the order in which they run. */
  readonly steps?: readonly BootstrapStep[];
}

/** Everything that makes a machine a node; `cloudInitDocument` and `ignitionDocument` render it. */
export interface MachineConfiguration {
  readonly hostname: string;
  readonly authorizedKeys: readonly string[];
  readonly files: readonly MachineFile[];
  readonly units: readonly MachineUnit[];
}

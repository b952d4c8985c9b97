/**
 * The drivers of volumes or networks that users may name, each with its options and the regular expression that the complete value of an
 * option must match; that of `*` is for options which are not listed.
 */
export type AllowedOptions = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** What users of a driver may ask for. An operator widens it by settings of the driver. An absent member restricts nothing. */
export interface DriverRestrictions {
  /** The images that users may name for nodes; the image of the manifest's `defaults` is allowed in any case. */
  readonly nodeImages?: readonly string[];
  /** The plug-ins that users may name in the option `plugins`. */
  readonly plugins?: readonly string[];
  readonly containers?: ContainerRestrictions;
}

export interface ContainerRestrictions {
  readonly volumes: AllowedOptions;
  readonly networks: AllowedOptions;
  /** Names of networks that belong to the engine, such as `host`. */
  readonly reservedNetworks: readonly string[];
  /** Names of options, drivers and networks that the operator allows with any value. */
  readonly allowed: readonly string[];
  /** The setting by which the operator allows them; refusals name it. */
  readonly setting: string;
}

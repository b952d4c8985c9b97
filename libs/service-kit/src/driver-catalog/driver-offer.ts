import type { FlavorSpec, Problem, RingView } from '@stave/domain';
import { RefusedError } from '@stave/contracts';
import { Ajv, type ValidateFunction } from 'ajv';

export interface DriverOffer {
  readonly version: string;
  readonly manifest: Readonly<Record<string, unknown>>;
}

/**
 * What live conductors of this group offer of this driver: its newest version; with `recorded`, the newest that can go on with what
 * this version built. Throws RefusedError `no-conductor-available` with what is served.
 */
export function requireDriver(ring: RingView, group: string, driver: string, recorded?: string): DriverOffer {
  const version = ring.newestOffered(group, driver, recorded);
  const manifest = version === undefined ? undefined : manifestOf(ring, driver, version);
  if (version !== undefined && manifest) return { version, manifest };
  const forWhat = recorded === undefined ? '' : ` for what version ${recorded} built`;
  throw nobodyServes(ring, group, `driver ${driver}${forWhat}`);
}

/** This very version, as live conductors of this group offer it. Throws RefusedError `no-conductor-available` with what is served. */
export function requireVersion(ring: RingView, group: string, driver: string, version: string): DriverOffer {
  const manifest = ring.versionsOffered(group, driver).includes(version)
    ? manifestOf(ring, driver, version)
    : undefined;
  if (manifest) return { version, manifest };
  throw nobodyServes(ring, group, `version ${version} of driver ${driver}`);
}

function nobodyServes(ring: RingView, group: string, what: string): RefusedError {
  const where = group === '' ? 'the default conductor group' : `conductor group ${group}`;
  return new RefusedError({
    code: 'no-conductor-available',
    kind: 'unavailable',
    detail: `no live conductor serves ${what} in ${where}`,
    retryAfterMs: 5_000,
    extra: { served: ring.offered() },
  });
}

/** The manifest of a driver version that a live conductor offers. */
export function manifestOf(
  ring: RingView,
  driver: string,
  version: string,
): Readonly<Record<string, unknown>> | undefined {
  for (const member of ring.members()) {
    const offer = member.drivers.find(d => d.name === driver && d.version === version);
    if (offer) return offer.manifest;
  }
  return undefined;
}

/** Whether nodes of this driver version need a manager in their cluster; false for a version that nobody offers. */
export const requiresManager = (ring: RingView, driver: string, version: string): boolean =>
  manifestOf(ring, driver, version)?.['requiresManager'] === true;

/** What a driver gives to groups that leave it open. */
export function driverDefaults(manifest: Readonly<Record<string, unknown>>): {
  readonly driver?: { readonly image?: string };
} {
  const { defaults } = manifest as { readonly defaults?: { readonly image?: string } };
  return defaults?.image === undefined ? {} : { driver: { image: defaults.image } };
}

const flavorMembers = ['cpus', 'memoryMb', 'diskGb'] as const;

/** A flavor below what the driver's manifest asks of a node; pointers under `base`. What the flavor leaves open is not held against it. */
export function flavorProblems(
  manifest: Readonly<Record<string, unknown>>,
  flavor: FlavorSpec | undefined,
  base: string,
): readonly Problem[] {
  const { minimumFlavor: least = {} } = manifest as { readonly minimumFlavor?: Partial<FlavorSpec> };
  return flavorMembers.flatMap(member => {
    const [given, wanted] = [flavor?.[member], least[member]];
    if (given === undefined || wanted === undefined || given >= wanted) return [];
    const detail = `the driver's nodes need at least ${wanted} ${member}, not ${given}`;
    return [{ pointer: `${base}/${member}`, code: 'below-minimum-flavor', detail }];
  });
}

const compiled = new WeakMap<object, ValidateFunction>();

function validatorOf(schema: object): ValidateFunction {
  const known = compiled.get(schema);
  if (known) return known;
  const validate = new Ajv({ allErrors: true, strict: false }).compile(schema);
  compiled.set(schema, validate);
  return validate;
}

/** What the driver's own schema says against these options; pointers under `base`. */
export function optionProblems(
  manifest: Readonly<Record<string, unknown>>,
  options: Readonly<Record<string, unknown>>,
  base: string,
): readonly Problem[] {
  const schema = manifest['options'];
  if (typeof schema !== 'object' || schema === null) return [];
  const validate = validatorOf(schema);
  if (validate(options)) return [];
  return (validate.errors ?? []).map(e => {
    const extra: unknown = e.params['additionalProperty'];
    const pointer = `${base}${e.instancePath}${typeof extra === 'string' ? `/${extra}` : ''}`;
    return {
      pointer,
      code: e.keyword === 'additionalProperties' ? 'unknown-option' : 'invalid-option',
      detail: e.message ?? 'not valid',
    };
  });
}

import type { FlavorSpec } from '../node-group/node-group-spec.js';
import type { Labels } from '../placement/model.js';
import type { MachineState } from './machine-state.js';

/** What a node needs of its machine. */
export interface MachineNeed {
  /** Labels that must be equal; none: any machine. */
  readonly selector: Labels;
  readonly flavor: FlavorSpec;
  readonly zone?: string;
  readonly region?: string;
  /** The conductor group whose conductors work on the node. */
  readonly conductorGroup: string;
  /** The schemes of the URLs by which the driver of the cluster reaches engines. */
  readonly schemes: readonly string[];
}

/** Returns the available machines that have what the node needs: the smallest first, those of one size in the order of their names. */
export function suitableMachines(machines: Iterable<MachineState>, need: MachineNeed): readonly MachineState[] {
  const found = [...machines].filter(machine => suits(machine, need));
  return found.sort((a, b) => bySize(a, b) || compare(a.declared.name, b.declared.name));
}

function suits(machine: MachineState, need: MachineNeed): boolean {
  const { status, draining, labels, zone, region, conductorGroup, declared, probe } = machine;
  if (status !== 'AVAILABLE' || draining || !probe) return false;
  const { capacity } = probe;
  const { flavor, selector, schemes } = need;
  const isPlace = (wanted: string | undefined, own: string | null): boolean => wanted === undefined || wanted === own;
  // an engine may not report its disk, which then limits nothing
  const hasDisk = flavor.diskGb === undefined || capacity.diskGb === undefined || capacity.diskGb >= flavor.diskGb;
  return (
    capacity.cpus >= flavor.cpus &&
    capacity.memoryMb >= flavor.memoryMb &&
    hasDisk &&
    isPlace(need.zone, zone) &&
    isPlace(need.region, region) &&
    conductorGroup.toLowerCase() === need.conductorGroup.toLowerCase() &&
    schemes.includes(schemeOf(declared.engine.url)) &&
    Object.entries(selector).every(([key, value]) => labels[key] === value)
  );
}

/** Returns the scheme of the URL of an engine. */
export const schemeOf = (url: string): string => url.slice(0, Math.max(0, url.indexOf(':'))).toLowerCase();

function bySize({ probe: a }: MachineState, { probe: b }: MachineState): number {
  const [x, y] = [a?.capacity, b?.capacity];
  return (x?.cpus ?? 0) - (y?.cpus ?? 0) || (x?.memoryMb ?? 0) - (y?.memoryMb ?? 0);
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

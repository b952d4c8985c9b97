import { DriverError, pluginsOf, scopeOf, type Options } from '@stave/driver-sdk';
import type { FakeUnit, UnitDraft } from './fake-unit.js';
import { nthAddress, sizeOf } from './subnet.js';
import type { UnitTable } from './unit-table.js';

/** What a unit holds of others, under which no other unit may ask for it. */
type Held = Pick<FakeUnit, 'address' | 'claims'>;

/** The drivers of networks and volumes where neither a cluster nor a node group lists others. */
const plugins = { networkDrivers: { bridge: 'node', overlay: 'cluster' }, volumeDrivers: { local: 'node' } } as const;

interface NetworkOfContainer {
  readonly networkId?: string;
  readonly ipv4?: string;
}

interface Volume {
  readonly volumeId?: string;
}

interface Port {
  readonly hostPort?: number;
  readonly protocol?: string;
}

/** The claim of a node on the engine of its machine. */
export const engineClaim = (engine: string): string => `engine ${engine}`;

/** The claim of a container on a network or volume that it uses. */
export const useOf = (infrastructureId: string): string => `uses ${infrastructureId}`;

/**
 * Returns what a new unit holds of networks, volumes and ports of its host, or why it cannot have it. `options`: those of the call, which name
 * the plug-ins of the cluster.
 */
export function attach(
  units: UnitTable,
  draft: UnitDraft,
  host: FakeUnit | undefined,
  options: Options,
): Held | DriverError {
  const here = host ? optionsOf(host) : options;
  if (draft.kind === 'node' && draft.engine !== undefined) return onEngine(units, draft.engine);
  if (draft.kind === 'network' || draft.kind === 'volume')
    return isOffered(draft.kind, draft, here) ? {} : missing(draft.kind, draft);
  if (draft.kind !== 'container' || !host) return {};
  const claims: string[] = [];
  for (const { volumeId } of (draft.attributes['volumes'] ?? []) as readonly Volume[]) {
    const volume = volumeId === undefined ? undefined : attached(units, draft, 'volume', volumeId, here);
    if (volume instanceof DriverError) return volume;
    if (volume && isHeldElsewhere(units, volume, draft))
      return new DriverError('conflict', `${volume.name} is exclusive and used on another node`);
    if (volume) claims.push(useOf(volume.infrastructureId));
  }
  const ports = portClaims(units, draft, host);
  if (ports instanceof DriverError) return ports;
  const { networkId, ipv4 } = (draft.attributes['network'] ?? {}) as NetworkOfContainer;
  if (networkId === undefined) return { claims: [...claims, ...ports] };
  const network = attached(units, draft, 'network', networkId, here);
  if (network instanceof DriverError) return network;
  const address = addressIn(units, network, ipv4);
  if (address instanceof DriverError) return address;
  const own = address === undefined ? [] : [addressClaim(network, address)];
  return { claims: [...claims, ...ports, useOf(network.infrastructureId), ...own], ...(address && { address }) };
}

/** An engine has one node: a second one would share its containers, volumes and networks. */
function onEngine(units: UnitTable, engine: string): Held | DriverError {
  const claim = engineClaim(engine);
  const [other] = units.holding(claim);
  if (other?.lost) return unreachable(engine);
  return other ? new DriverError('conflict', `the engine ${engine} has ${other.name} already`) : { claims: [claim] };
}

export const unreachable = (engine: string): DriverError =>
  new DriverError('transient', `the engine ${engine} does not answer`, { code: 'engine-unreachable' });

/** Returns the unit of a network or volume where the container is. */
function attached(
  units: UnitTable,
  { installation, nodeId }: UnitDraft,
  kind: 'network' | 'volume',
  id: string,
  here: Options,
): FakeUnit | DriverError {
  const found = units
    .ofResource(installation, kind, id)
    .findLast(unit => unit.state === 'running' && (unit.nodeId === undefined || unit.nodeId === nodeId));
  if (!found) return new DriverError('conflict', `${kind} ${id} does not exist on node ${nodeId}`);
  return isOffered(kind, found, here) ? found : missing(kind, found);
}

const optionsOf = ({ attributes }: FakeUnit): Options => (attributes['options'] ?? {}) as Options;

/** Whether the options say that a plug-in is missing which all the same counts as listed. */
const isMissingUnlisted = ({ attributes }: UnitDraft, { missingPlugins }: Options): boolean =>
  Array.isArray(missingPlugins) && missingPlugins.includes(attributes['driver']);

const isOffered = (kind: 'network' | 'volume', draft: UnitDraft, options: Options): boolean =>
  !isMissingUnlisted(draft, options) && isListed(kind, draft, options);

const isListed = (kind: 'network' | 'volume', { attributes, nodeId }: UnitDraft, options: Options): boolean =>
  scopeOf(pluginsOf(plugins, kind, options), String(attributes['driver'])) ===
  (nodeId === undefined ? 'cluster' : 'node');

const missing = (kind: string, { attributes }: UnitDraft): DriverError =>
  new DriverError('permanent', `the ${kind} driver ${String(attributes['driver'])} does not exist here`, {
    code: 'plugin-missing',
    plugin: String(attributes['driver']),
  });

const isHeldElsewhere = (units: UnitTable, volume: FakeUnit, { nodeId }: UnitDraft): boolean =>
  volume.attributes['accessMode'] === 'exclusive' &&
  units.holding(useOf(volume.infrastructureId)).some(user => user.nodeId !== nodeId);

function portClaims(units: UnitTable, { attributes }: UnitDraft, host: FakeUnit): string[] | DriverError {
  const ports = (attributes['ports'] ?? []) as readonly Port[];
  const claims = ports.flatMap(({ hostPort, protocol = 'tcp' }) =>
    hostPort === undefined ? [] : [`port ${hostPort}/${protocol} of ${host.infrastructureId}`],
  );
  const taken = claims.find((claim, at) => units.holding(claim).length > 0 || claims.indexOf(claim) !== at);
  return taken === undefined ? claims : new DriverError('capacity', `${taken} is taken`);
}

const addressClaim = ({ infrastructureId }: FakeUnit, address: string): string => `${address} in ${infrastructureId}`;

/** Returns the address of a new container: the given one, or the next free one of the subnet; none where the network has no subnet. */
function addressIn(units: UnitTable, network: FakeUnit, given: string | undefined): string | undefined | DriverError {
  const isFree = (address: string): boolean => units.holding(addressClaim(network, address)).length === 0;
  if (given !== undefined)
    return isFree(given) ? given : new DriverError('capacity', `the address ${given} is taken in ${network.name}`);
  const { subnet, gateway } = network.attributes;
  if (typeof subnet !== 'string') return undefined;
  const hosts = sizeOf(subnet) - 2;
  const used = units.holding(useOf(network.infrastructureId)).length;
  for (let tried = 0; tried < hosts; tried += 1) {
    const address = nthAddress(subnet, 1 + ((used + tried) % hosts));
    // the first address is the gateway's where no other is named
    const isGateway = typeof gateway === 'string' ? address === gateway : address === nthAddress(subnet, 1);
    if (!isGateway && isFree(address)) return address;
  }
  return new DriverError('capacity', `${network.name} has no free address`);
}

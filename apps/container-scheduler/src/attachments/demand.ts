import type {
  AttachmentKind,
  ContainerState,
  PlacementRequest,
  ReservedAttachments,
  ReservedPort,
} from '@stave/domain';
import type { SchedulerProjection } from '../scheduling/scheduler.projection.js';

/** What a container needs beside room, as the networks and volumes that it names are now. */
export interface Demand {
  /** What the ledger is asked for. */
  readonly asked: ReservedAttachments;
  /** The same for the choice of a node; the volumes in the order of `asked`. */
  readonly wanted: {
    readonly network?: NonNullable<PlacementRequest['network']>;
    readonly volumes: readonly NonNullable<PlacementRequest['volumes']>[number][];
  };
  readonly drivers: readonly { readonly kind: AttachmentKind; readonly driver: string }[];
  /** Why the container waits; absent: nothing keeps it. */
  readonly waits?: string;
  /** A network or volume that it names does not exist. */
  readonly isMissing: boolean;
}

/** Returns what a container needs beside room; undefined for one that needs nothing, so that it costs nothing. */
export function demandOf(
  projection: SchedulerProjection,
  state: Pick<ContainerState, 'declared' | 'contents'>,
): Demand | undefined {
  const { contents, declared } = state;
  const { manages = [] } = declared;
  const network = manages.includes('network') ? contents.network : undefined;
  const volumes = manages.includes('volume') ? contents.volumes : [];
  const ports = requestedPorts(state);
  if (!network && volumes.length === 0 && ports.length === 0) return undefined;
  const found = new Map<string, Found>();
  if (network) found.set(`network ${network.name}`, find(projection, declared.clusterId, 'network', network.name));
  for (const { name } of volumes) found.set(`volume ${name}`, find(projection, declared.clusterId, 'volume', name));
  const all = [...found.values()];
  const waits = all.find(each => each.waits !== undefined)?.waits;
  return {
    asked: {
      ...(network && found.get(`network ${network.name}`)?.network?.(network.ipv4)),
      ...(volumes.length > 0 && { volumes: all.flatMap(each => each.volume ?? []) }),
      ...(ports.length > 0 && { ports }),
    },
    wanted: {
      ...found.get(`network ${network?.name ?? ''}`)?.wantedNetwork?.(network?.ipv4),
      volumes: all.flatMap(each => each.wantedVolume ?? []),
    },
    drivers: all.flatMap(each => each.driver ?? []),
    ...(waits !== undefined && { waits }),
    isMissing: all.some(each => each.isMissing),
  };
}

interface Found {
  readonly isMissing?: boolean;
  readonly waits?: string;
  readonly driver?: Demand['drivers'][number];
  readonly network?: (address: string | undefined) => Pick<ReservedAttachments, 'network'>;
  readonly volume?: NonNullable<ReservedAttachments['volumes']>[number];
  readonly wantedNetwork?: (ipv4: string | undefined) => Pick<Demand['wanted'], 'network'>;
  readonly wantedVolume?: Demand['wanted']['volumes'][number];
}

function find(
  { attachmentNames, networks, volumes }: SchedulerProjection,
  clusterId: string,
  kind: AttachmentKind,
  name: string,
): Found {
  const id = attachmentNames.idOf(kind, clusterId, name);
  const state = id === undefined ? undefined : kind === 'network' ? networks.get(id) : volumes.get(id);
  if (id === undefined || !state) return { isMissing: true };
  const { status, declared, statusReason } = state;
  const why = statusReason === undefined ? '' : `: ${statusReason}`;
  // lost data is a reason of the placement
  const isLost = status === 'UNKNOWN' || status === 'LOST';
  const isUsable = status === 'ACTIVE' || isLost;
  const waits = isUsable ? {} : { waits: `It waits for the ${kind} ${name}, which is ${status}${why}.` };
  const { driver, scope } = declared;
  const common = { ...waits, driver: { kind, driver } };
  if ('accessMode' in declared) {
    const exclusive = declared.accessMode === 'exclusive' && ({ exclusive: true } as const);
    const wantedVolume = { name, driver, scope, ...exclusive, ...(isLost && { lost: true }) };
    return { ...common, volume: { id, scope, ...exclusive }, wantedVolume };
  }
  return {
    ...common,
    network: address => ({ network: { id, scope, ...(address !== undefined && { address }) } }),
    wantedNetwork: ipv4 => ({ network: { name, driver, scope, ...(ipv4 !== undefined && { ipv4 }) } }),
  };
}

/** Returns the ports that the container wants on its node, in the order of its contents. */
export const requestedPorts = ({ contents }: Pick<ContainerState, 'contents'>): readonly ReservedPort[] =>
  contents.ports.flatMap(({ containerPort, hostPort, protocol = 'tcp' }) =>
    hostPort === undefined ? [] : [{ containerPort, hostPort, protocol }],
  );

/** Returns the ports of the container with those that were chosen for it. */
export function shownPorts({ contents, attached }: ContainerState): ContainerState['contents']['ports'] {
  const chosen = [...(attached?.ports ?? [])];
  return contents.ports.map(port => {
    const own = port.hostPort === undefined ? undefined : chosen.shift();
    return own ? { ...port, hostPort: own.hostPort } : port;
  });
}

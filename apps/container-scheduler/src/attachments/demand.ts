import type { AttachmentKind, ContainerState, ReservedAttachments, ReservedPort } from '@stave/domain';
import type { SchedulerProjection } from '../scheduling/scheduler.projection.js';

/** What a container needs beside room, as the networks and volumes that it names are now. */
export interface Demand {
  readonly asked: ReservedAttachments;
  readonly drivers: readonly { readonly kind: AttachmentKind; readonly driver: string }[];
  /** Why the container waits; absent: nothing keeps it. */
  readonly waits?: string;
  /** A network or volume that it names does not exist. */
  readonly isMissing: boolean;
}

/** Returns what a container needs beside room; undefined for one that needs nothing, so that it costs nothing. */
export function demandOf(projection: SchedulerProjection, state: ContainerState): Demand | undefined {
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
  const isUsable = status === 'ACTIVE' || status === 'UNKNOWN';
  const waits = isUsable ? {} : { waits: `It waits for the ${kind} ${name}, which is ${status}${why}.` };
  const { driver, scope } = declared;
  const own =
    'accessMode' in declared
      ? { volume: { id, scope, ...(declared.accessMode === 'exclusive' && ({ exclusive: true } as const)) } }
      : {
          network: (address: string | undefined) => ({
            network: { id, scope, ...(address !== undefined && { address }) },
          }),
        };
  return { ...waits, driver: { kind, driver }, ...own };
}

/** Returns the ports that the container wants on its node, in the order of its contents. */
export const requestedPorts = ({ contents }: ContainerState): readonly ReservedPort[] =>
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

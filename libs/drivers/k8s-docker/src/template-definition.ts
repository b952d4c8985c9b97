import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NodeSpec } from '@stave/driver-sdk';
import { label } from '@stave/docker';
import { ownLabel } from './inventory.js';
import { apiAddress, overlayPort } from './machines/peers.js';
import { apiName, apiPort } from './manifests.js';
import { memberName } from './node-description.js';

interface ContainerSettings {
  readonly image: string;
  readonly version: string;
  readonly address: string;
  readonly labels: Readonly<Record<string, string>>;
}

interface NodeContainerSettings extends ContainerSettings {
  readonly networkId: string;
}

interface MachineContainerSettings extends ContainerSettings {
  /** The network of the cluster. */
  readonly subnet: string;
  /** CPU cores and MiB of the machine. */
  readonly size: { readonly cpus: number; readonly memoryMb: number };
}

const megabyte = 2 ** 20;

interface NodeTemplate {
  readonly HostConfig: Readonly<Record<string, unknown>>;
}

/**
 * The container of every node. What systemd, containerd and a kubelet in a container need: mounts, networks, devices of their containers, a writable /proc/sys, and system
 * calls that the engine's default filter forbids. By its StopSignal systemd stops the machine. SYS_RESOURCE is dropped, because machines exist that lack it, and nothing here needs it.
 */
const template: NodeTemplate = JSON.parse(readFileSync(join(__dirname, '..', 'templates', 'node.json'), 'utf8'));

/** Returns the request that creates the container of a node. The limits of the flavor apply to everything in the node. */
export function nodeContainerRequest(spec: NodeSpec, at: NodeContainerSettings): Record<string, unknown> {
  const endpoint = {
    IPAMConfig: { IPv4Address: at.address },
    ...(spec.role === 'manager' && { Aliases: [apiName] }),
  };
  return {
    ...containerRequest(spec, at, { size: spec.flavor, network: { NetworkMode: at.networkId } }),
    NetworkingConfig: { EndpointsConfig: { [at.networkId]: endpoint } },
  };
}

/**
 * Returns the request that creates the container of a node on the engine of a machine, which belongs to it alone. It has the port of the overlay
 * there, a control plane also that of the API.
 */
export function machineContainerRequest(spec: NodeSpec, at: MachineContainerSettings): Record<string, unknown> {
  const ports = [`${overlayPort}/udp`, ...(spec.role === 'manager' ? [`${apiPort}/tcp`] : [])];
  const network = {
    NetworkMode: 'bridge',
    ExtraHosts: [`${apiName}:${apiAddress(at.subnet)}`],
    PortBindings: Object.fromEntries(ports.map(port => [port, [{ HostPort: port.split('/')[0] }]])),
  };
  return {
    ...containerRequest(spec, at, { size: at.size, network }),
    ExposedPorts: Object.fromEntries(ports.map(port => [port, {}])),
  };
}

function containerRequest(
  spec: NodeSpec,
  at: ContainerSettings,
  { size, network }: { readonly size: MachineContainerSettings['size']; readonly network: object },
): Record<string, unknown> {
  const memory = size.memoryMb * megabyte;
  const member = memberName(spec);
  return {
    ...template,
    Image: at.image,
    Hostname: member,
    Labels: {
      ...at.labels,
      [label.address]: at.address,
      [ownLabel.member]: member,
      [ownLabel.version]: at.version,
    },
    HostConfig: {
      ...template.HostConfig,
      ...network,
      NanoCpus: Math.round(size.cpus * 1e9),
      Memory: memory,
      MemorySwap: memory,
      // an anonymous volume belongs to the container only: the engine removes both in one request
      Mounts: [{ Type: 'volume', Target: '/var', VolumeOptions: { Labels: at.labels } }],
    },
  };
}

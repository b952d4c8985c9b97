import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NodeSpec } from '@stave/driver-sdk';
import { label } from '@stave/docker';
import { ownLabel } from './inventory.js';
import { apiName } from './manifests.js';
import { memberName } from './node-description.js';

interface NodeContainerSettings {
  readonly image: string;
  readonly version: string;
  readonly networkId: string;
  readonly address: string;
  readonly labels: Readonly<Record<string, string>>;
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
  const memory = spec.flavor.memoryMb * megabyte;
  const member = memberName(spec);
  const endpoint = {
    IPAMConfig: { IPv4Address: at.address },
    ...(spec.role === 'manager' && { Aliases: [apiName] }),
  };
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
      NetworkMode: at.networkId,
      NanoCpus: Math.round(spec.flavor.cpus * 1e9),
      Memory: memory,
      MemorySwap: memory,
      // an anonymous volume belongs to the container only: the engine removes both in one request
      Mounts: [{ Type: 'volume', Target: '/var', VolumeOptions: { Labels: at.labels } }],
    },
    NetworkingConfig: { EndpointsConfig: { [at.networkId]: endpoint } },
  };
}

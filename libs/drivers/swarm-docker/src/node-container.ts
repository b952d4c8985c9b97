import { getgid, getuid } from 'node:process';
import { dirname } from 'node:path';
import type { NodeSpec } from '@stave/driver-sdk';
import { label } from './labels.js';

export interface NodePlacement {
  readonly name: string;
  readonly image: string;
  readonly networkId: string;
  readonly address: string;
  readonly socket: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly privileges: Readonly<Record<string, unknown>>;
}

const megabyte = 2 ** 20;

/** The engine's request for a node: limits are the flavor's, and they bound all that runs inside. */
export function nodeContainerRequest(spec: NodeSpec, at: NodePlacement): Record<string, unknown> {
  const memory = spec.flavor.memoryMb * megabyte;
  const labels = { ...at.labels, [label.address]: at.address, [label.socket]: at.socket };
  return {
    Image: at.image,
    Hostname: hostName(spec.name),
    Labels: labels,
    Cmd: engineArguments(spec, labels),
    StopTimeout: 5,
    HostConfig: {
      ...at.privileges,
      CgroupnsMode: 'private',
      NetworkMode: at.networkId,
      NanoCpus: Math.round(spec.flavor.cpus * 1e9),
      Memory: memory,
      MemorySwap: memory,
      RestartPolicy: { Name: 'always' },
      Tmpfs: { '/run': 'exec', '/tmp': '' },
      LogConfig: { Type: 'json-file', Config: { 'max-size': '5m' } },
      Mounts: [
        { Type: 'bind', Source: dirname(at.socket), Target: '/stave' },
        // without a name the volume belongs to the container alone: the engine removes both in one call
        { Type: 'volume', Target: '/var/lib/docker', VolumeOptions: { Labels: at.labels } },
      ],
    },
    NetworkingConfig: { EndpointsConfig: { [at.networkId]: { IPAMConfig: { IPv4Address: at.address } } } },
  };
}

/** Labels given to the engine itself come with it into the Swarm: a member is known even when nobody could label it yet. */
function engineArguments(spec: NodeSpec, labels: Readonly<Record<string, string>>): string[] {
  const told = [label.node, label.generation, label.role, label.zone, label.nodeGroup];
  const options = { ...spec.cluster.options, ...spec.options };
  return [
    ...told.flatMap(key => (labels[key] === undefined ? [] : [`--label=${key}=${labels[key]}`])),
    ...strings(options['insecureRegistries']).map(registry => `--insecure-registry=${registry}`),
    ...strings(options['registryMirrors']).map(mirror => `--registry-mirror=${mirror}`),
    ...(getuid?.() === 0 ? [] : [`--group=${getgid?.()}`]),
  ];
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter(entry => typeof entry === 'string') : [];
}

function hostName(name: string): string {
  const host = name.replace(/[^a-zA-Z0-9-]+/g, '-').replace(/^-+|-+$/g, '');
  return host.slice(0, 63) || 'node';
}

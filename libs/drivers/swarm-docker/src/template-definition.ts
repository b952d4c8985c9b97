import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { getgid, getuid } from 'node:process';
import type { NodeSpec } from '@stave/driver-sdk';
import { hostNameOf, label } from '@stave/docker';
import { pluginMounts, type Plugin } from './plugins.js';

interface NodeContainerSettings {
  readonly image: string;
  readonly networkId: string;
  readonly address: string;
  readonly socket: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly plugins: readonly Plugin[];
}

const megabyte = 2 ** 20;

interface NodeTemplate {
  readonly HostConfig: Readonly<Record<string, unknown>>;
}

/**
 * The container of every node. What an engine in a container needs beyond a plain container: mounts (SYS_ADMIN), networks (NET_ADMIN), a writable /proc/sys, and session
 * keyrings, which the engine's default system call filter forbids. It needs neither devices nor any other capability of the host; without
 * SYS_RESOURCE its containers cannot raise ulimits above those of the node.
 */
const template: NodeTemplate = JSON.parse(readFileSync(join(__dirname, '..', 'templates', 'node.json'), 'utf8'));

/** Returns the request that creates the container of a node. The limits of the flavor apply to everything in the node. */
export function nodeContainerRequest(spec: NodeSpec, at: NodeContainerSettings): Record<string, unknown> {
  const { mounts, env } = pluginMounts(at.plugins);
  const memory = spec.flavor.memoryMb * megabyte;
  const labels = { ...at.labels, [label.address]: at.address, [label.socket]: at.socket };
  return {
    ...template,
    Image: at.image,
    Hostname: hostNameOf(spec.name, 'node'),
    Labels: labels,
    Cmd: engineArguments(spec, labels),
    Env: env,
    HostConfig: {
      ...template.HostConfig,
      NetworkMode: at.networkId,
      NanoCpus: Math.round(spec.flavor.cpus * 1e9),
      Memory: memory,
      MemorySwap: memory,
      Mounts: [
        { Type: 'bind', Source: dirname(at.socket), Target: '/stave' },
        // an anonymous volume belongs to the container only: the engine removes both in one request
        { Type: 'volume', Target: '/var/lib/docker', VolumeOptions: { Labels: at.labels } },
        ...mounts,
      ],
    },
    NetworkingConfig: { EndpointsConfig: { [at.networkId]: { IPAMConfig: { IPv4Address: at.address } } } },
  };
}

/** Labels the engine itself, so that a Swarm member can be identified before it has labels in the Swarm. */
function engineArguments(spec: NodeSpec, labels: Readonly<Record<string, string>>): string[] {
  const engineLabels = [label.node, label.generation, label.role, label.zone, label.nodeGroup];
  const options = { ...spec.cluster.options, ...spec.options };
  return [
    ...engineLabels.flatMap(key => (labels[key] === undefined ? [] : [`--label=${key}=${labels[key]}`])),
    ...strings(options['insecureRegistries']).map(registry => `--insecure-registry=${registry}`),
    ...strings(options['registryMirrors']).map(mirror => `--registry-mirror=${mirror}`),
    ...(getuid?.() === 0 ? [] : [`--group=${getgid?.()}`]),
  ];
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter(entry => typeof entry === 'string') : [];
}

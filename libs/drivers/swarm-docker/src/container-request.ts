import type { ContainerSpec } from '@stave/driver-sdk';
import { hostNameOf } from './host-name.js';
import { label } from './labels.js';

const megabyte = 2 ** 20;

function containerLabels(installation: string, spec: ContainerSpec): Record<string, string> {
  return {
    ...spec.labels,
    [label.installation]: installation,
    [label.unit]: 'container',
    [label.cluster]: spec.clusterId,
    [label.node]: spec.nodeId,
    [label.container]: spec.id,
    [label.generation]: String(spec.generation),
  };
}

/** Returns the request that creates a container on a node's engine. */
export function containerRequest(installation: string, spec: ContainerSpec): Record<string, unknown> {
  return {
    Image: spec.image,
    Hostname: hostNameOf(spec.name, 'container'),
    ...(spec.command && { Entrypoint: spec.command }),
    ...(spec.args && { Cmd: spec.args }),
    Env: Object.entries(spec.env).map(([key, value]) => `${key}=${value}`),
    Labels: containerLabels(installation, spec),
    ExposedPorts: Object.fromEntries(spec.ports.map(port => [portKey(port), {}])),
    ...(spec.healthCheck && { Healthcheck: healthCheck(spec.healthCheck) }),
    HostConfig: {
      Init: true, // otherwise a first process that ignores SIGTERM delays each stop by the complete grace time
      ...limits(spec.resources),
      RestartPolicy: { Name: spec.restartPolicy },
      PortBindings: portBindings(spec.ports),
      Mounts: spec.volumes.map(volume => ({
        Type: 'volume',
        Source: volume.name,
        Target: volume.mountPath,
        ReadOnly: volume.readOnly ?? false,
      })),
      ...(spec.network && { NetworkMode: spec.network.name }),
      LogConfig: { Type: 'json-file', Config: { 'max-size': '5m' } },
    },
    ...(spec.network && { NetworkingConfig: { EndpointsConfig: { [spec.network.name]: endpoint(spec) } } }),
  };
}

/** Returns the request that changes a container in place. */
export function changeRequest({ resources, restartPolicy }: ContainerSpec): Record<string, unknown> {
  return { ...limits(resources), RestartPolicy: { Name: restartPolicy } };
}

/** Makes the container resolvable on its network by the name that the user chose. */
function endpoint(spec: ContainerSpec): Record<string, unknown> {
  const ipv4 = spec.network?.ipv4;
  return { Aliases: [spec.name], ...(ipv4 !== undefined && { IPAMConfig: { IPv4Address: ipv4 } }) };
}

function limits(resources: ContainerSpec['resources']): Record<string, number> {
  const memory = resources.memoryMb === undefined ? undefined : Math.round(resources.memoryMb * megabyte);
  return {
    ...(resources.cpus !== undefined && { NanoCpus: Math.round(resources.cpus * 1e9) }),
    ...(memory !== undefined && { Memory: memory, MemorySwap: memory }),
  };
}

type Port = ContainerSpec['ports'][number];

function portKey(port: Port): string {
  return `${port.containerPort}/${port.protocol ?? 'tcp'}`;
}

/** Groups the bindings by container port, because several host ports may map to one container port. */
function portBindings(ports: readonly Port[]): Record<string, { HostPort: string }[]> {
  const bindings: Record<string, { HostPort: string }[]> = {};
  for (const port of ports) {
    if (port.hostPort !== undefined) (bindings[portKey(port)] ??= []).push({ HostPort: String(port.hostPort) });
  }
  return bindings;
}

function healthCheck(check: NonNullable<ContainerSpec['healthCheck']>): Record<string, unknown> {
  return {
    Test: ['CMD', ...check.command],
    ...(check.intervalSeconds !== undefined && { Interval: check.intervalSeconds * 1e9 }),
    ...(check.retries !== undefined && { Retries: check.retries }),
  };
}

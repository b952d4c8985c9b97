import type { ContainerSpec } from '@stave/driver-sdk';
import { hostNameOf, labelled } from '@stave/docker';

const megabyte = 2 ** 20;

export function containerRequest(installation: string, spec: ContainerSpec): Record<string, unknown> {
  const { network, healthCheck, clusterId: cluster, nodeId: node, id: container, generation } = spec;
  return {
    Image: spec.image,
    Hostname: hostNameOf(spec.name, 'container'),
    Entrypoint: spec.command,
    Cmd: spec.args,
    Env: Object.entries(spec.env).map(([key, value]) => `${key}=${value}`),
    Labels: {
      ...spec.labels,
      ...labelled({ installation, unit: 'container', cluster, node, container, generation }),
    },
    ExposedPorts: Object.fromEntries(spec.ports.map(port => [portKey(port), {}])),
    Healthcheck: healthCheck && {
      Test: ['CMD', ...healthCheck.command],
      Interval: nanoseconds(healthCheck.intervalSeconds),
      Timeout: nanoseconds(healthCheck.timeoutSeconds),
      StartPeriod: nanoseconds(healthCheck.startPeriodSeconds),
      Retries: healthCheck.retries,
    },
    StopTimeout: spec.stopGraceSeconds,
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
      NetworkMode: network?.name,
      LogConfig: { Type: 'json-file', Config: { 'max-size': '5m' } },
    },
    NetworkingConfig: network && {
      EndpointsConfig: {
        // makes the container resolvable on its network by the name that the user chose
        [network.name]: { Aliases: [spec.name], IPAMConfig: network.ipv4 ? { IPv4Address: network.ipv4 } : undefined },
      },
    },
  };
}

const nanoseconds = (seconds: number | undefined): number | undefined => seconds && seconds * 1e9;

export function changeRequest({ resources, restartPolicy }: ContainerSpec): Record<string, unknown> {
  return { ...limits(resources), RestartPolicy: { Name: restartPolicy } };
}

function limits({ cpus, memoryMb }: ContainerSpec['resources']): Record<string, number | undefined> {
  const memory = memoryMb && Math.round(memoryMb * megabyte);
  return { NanoCpus: cpus && Math.round(cpus * 1e9), Memory: memory, MemorySwap: memory };
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

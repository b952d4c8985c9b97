import { hostNameOf, labelled, unitName } from '@stave/docker';
import type { ContainerSpec, HealthCheck, Labels } from '@stave/driver-sdk';

/** Containers of Stave are in a namespace of their own, in which members see pods and no Secrets, and change nothing. */
export const containerNamespace = 'stave-containers';

const recordType = 'stave.dev/container';
const podKey = 'pod';
/** The annotation with the seconds after a start in which failures of the health check do not count. */
export const startPeriod = 'stave.dev/start-period';
const podPolicy = { no: 'Never', 'on-failure': 'OnFailure', always: 'Always', 'unless-stopped': 'Always' } as const;
const pullPolicy = { ifMissing: 'IfNotPresent', always: 'Always', never: 'Never' } as const;

/** Where a container runs: the installation, and its node by the name in Kubernetes. */
export interface ContainerPlace {
  readonly installation: string;
  readonly member: string;
}

/** Returns the name of the record and the pod of a container. */
export const containerName = (installation: string, { id, generation }: Pick<ContainerSpec, 'id' | 'generation'>) =>
  unitName(installation, id, generation);

/**
 * Returns the record of a container: a Secret with the values of its environment, and with its pod, which is made again after each stop.
 * Its uid is the id of the unit.
 */
export function containerRecord(spec: ContainerSpec, at: ContainerPlace): Record<string, unknown> {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: containerName(at.installation, spec), labels: ownLabels(spec, at) },
    type: recordType,
    stringData: recordData(spec, at),
  };
}

/** Returns the part of a record that an update replaces. */
export function recordData(spec: ContainerSpec, at: ContainerPlace): Record<string, string> {
  const values = Object.values(spec.env).map((value, i): [string, string] => [`env.${i}`, value]);
  return { [podKey]: JSON.stringify(containerPod(spec, at)), ...Object.fromEntries(values) };
}

/** Returns the pod in a record as it was read. */
export function podOf({ data = {} }: { readonly data?: Readonly<Record<string, string>> }): object {
  return JSON.parse(Buffer.from(data[podKey] ?? '', 'base64').toString('utf8')) as object;
}

/**
 * Returns the pod of a container, bound to its node. Kubernetes does not evict it on its own, and knows its memory: CPU is a limit only,
 * because the control plane asks for most of a small node.
 */
export function containerPod(spec: ContainerSpec, at: ContainerPlace): Record<string, unknown> {
  const name = containerName(at.installation, spec);
  const { resources, image, command, args, ports } = spec;
  const container = {
    name: 'main',
    image,
    command,
    args,
    imagePullPolicy: pullPolicy[spec.pullPolicy ?? 'ifMissing'],
    env: Object.keys(spec.env).map((key, i) => ({
      name: key,
      valueFrom: { secretKeyRef: { name, key: `env.${i}` } },
    })),
    resources: resourcesOf(resources),
    ports: ports.map(({ containerPort, protocol = 'tcp' }) => ({ containerPort, protocol: protocol.toUpperCase() })),
    readinessProbe: spec.healthCheck && probeOf(spec.healthCheck),
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      labels: { ...validLabels(spec.labels), ...ownLabels(spec, at) },
      annotations: { [startPeriod]: String(spec.healthCheck?.startPeriodSeconds ?? 0) },
    },
    spec: {
      nodeName: at.member,
      hostname: hostNameOf(spec.name, 'container').toLowerCase(),
      restartPolicy: podPolicy[spec.restartPolicy],
      terminationGracePeriodSeconds: spec.stopGraceSeconds ?? 10,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      tolerations: [{ operator: 'Exists' }],
      containers: [container],
    },
  };
}

function ownLabels(spec: ContainerSpec, { installation }: ContainerPlace): Labels {
  const { clusterId: cluster, nodeId: node, id: container, generation } = spec;
  return labelled({ installation, unit: 'container', cluster, node, container, generation });
}

/** Kubernetes takes fewer values of labels than Stave; those that it does not take stay in Stave alone. */
const validLabels = (labels: Labels): Labels =>
  Object.fromEntries(
    Object.entries(labels).filter(
      ([key, value]) =>
        /^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?$/.test(key) &&
        /^([A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?)?$/.test(value),
    ),
  );

function resourcesOf({ cpus, memoryMb }: ContainerSpec['resources']): object {
  const memory = memoryMb === undefined ? undefined : `${Math.round(memoryMb)}Mi`;
  const cpu = cpus === undefined ? undefined : `${Math.max(1, Math.round(cpus * 1_000))}m`;
  return { limits: { cpu, memory }, requests: { ...(cpu !== undefined && { cpu: '0' }), memory } };
}

/** A container that is not ready keeps running, as on other engines: whether it is restarted is decided by Stave. */
function probeOf(check: HealthCheck): object {
  return {
    exec: { command: check.command },
    periodSeconds: check.intervalSeconds ?? 30,
    timeoutSeconds: check.timeoutSeconds ?? 5,
    failureThreshold: check.retries ?? 3,
  };
}

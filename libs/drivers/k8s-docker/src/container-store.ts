import { pollUntil, type Caller } from '@stave/docker';
import type { DriverContext, Labels } from '@stave/driver-sdk';
import { containerNamespace, podOf } from './container-objects.js';
import { hasEnded, hasStarted, type ContainerPod, type ContainerRecord } from './container-pod.js';
import { undefinedOnStatus, type KubernetesApi } from '@stave/kubernetes';

/** Lists without members have no list. */
interface ListOf<T> {
  readonly items: readonly T[] | null;
}

const namespaces = '/api/v1/namespaces';
const records = `${namespaces}/${containerNamespace}/secrets`;
const pods = `${namespaces}/${containerNamespace}/pods`;
const account = `${namespaces}/${containerNamespace}/serviceaccounts/default`;
const metadataOnly = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
const startWithinMs = 240_000;
const endWithinMs = 60_000;
const everyMs = 250;
/** Kubernetes answers when the container has written something. */
const firstTextWithinMs = 24 * 3_600_000;

async function* nothing(): AsyncGenerator<string> {
  // a container whose pod is gone has no log
}

const selector = (labels: Labels) => ({
  labelSelector: Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(','),
});

/** The records and pods of containers in one cluster of Kubernetes. */
export class ContainerStore {
  constructor(private readonly api: KubernetesApi) {}

  /** Returns the records with these labels, without their values. */
  async records(caller: Caller, labels: Labels): Promise<readonly ContainerRecord[]> {
    const options = { query: selector(labels), accept: metadataOnly };
    return (await this.api.read<ListOf<ContainerRecord>>(caller, records, options)).items ?? [];
  }

  async pods(caller: Caller, labels: Labels): Promise<readonly ContainerPod[]> {
    return (await this.api.read<ListOf<ContainerPod>>(caller, pods, { query: selector(labels) })).items ?? [];
  }

  pod(caller: Caller, name: string): Promise<ContainerPod | undefined> {
    return undefinedOnStatus([404], this.api.read<ContainerPod>(caller, `${pods}/${name}`));
  }

  /** Makes the namespace of containers where it is missing: pods need its account, which Kubernetes adds. */
  async prepare(ctx: DriverContext): Promise<void> {
    const found = () => undefinedOnStatus([404], this.api.read<object>(ctx, account));
    if (await found()) return;
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: containerNamespace } };
    await undefinedOnStatus([409], this.api.change(ctx, 'POST', namespaces, { body }));
    await pollUntil(ctx, { what: 'making of the namespace of containers', withinMs: endWithinMs, everyMs }, found);
  }

  /** 409: an earlier attempt made it. */
  async make(ctx: DriverContext, body: object): Promise<void> {
    await undefinedOnStatus([409], this.api.change(ctx, 'POST', records, { body }));
  }

  async replaceData(ctx: DriverContext, name: string, stringData: Readonly<Record<string, string>>): Promise<void> {
    const contentType = 'application/merge-patch+json';
    await this.api.change(ctx, 'PATCH', `${records}/${name}`, { body: { data: null, stringData }, contentType });
  }

  /** Makes the pod in the record of a container where it has none, and waits until it has started. */
  async start(ctx: DriverContext, name: string): Promise<ContainerPod> {
    const present = await this.pod(ctx, name);
    if (present && hasEnded(present)) await this.stop(ctx, name, 0);
    if (!present || hasEnded(present)) {
      const body = podOf(await this.api.read(ctx, `${records}/${name}`));
      await undefinedOnStatus([409], this.api.change(ctx, 'POST', pods, { body }));
    }
    return this.started(ctx, name);
  }

  async started(ctx: DriverContext, name: string): Promise<ContainerPod> {
    ctx.progress('start container');
    return pollUntil(ctx, { what: 'start of the container', withinMs: startWithinMs, everyMs }, async () => {
      const pod = await this.pod(ctx, name);
      return pod && hasStarted(pod) ? pod : undefined;
    });
  }

  /** Ends the pod of a container; 0: at once, without its node. Succeeds when there is none. */
  async stop(ctx: DriverContext, name: string, graceSeconds: number): Promise<void> {
    const query = { gracePeriodSeconds: graceSeconds };
    if (!(await undefinedOnStatus([404], this.api.change(ctx, 'DELETE', `${pods}/${name}`, { query })))) return;
    const withinMs = graceSeconds * 1_000 + endWithinMs;
    await pollUntil(ctx, { what: 'end of the container', withinMs, everyMs }, async () =>
      (await this.pod(ctx, name)) ? undefined : true,
    );
  }

  /** Removes a container with its record; succeeds when it does not exist. */
  async remove(ctx: DriverContext, name: string, graceSeconds: number): Promise<void> {
    await this.stop(ctx, name, graceSeconds);
    await undefinedOnStatus([404], this.api.change(ctx, 'DELETE', `${records}/${name}`));
  }

  /** Returns the last lines of the log; nothing for a container whose pod is gone or has not started. */
  async logs(caller: Caller, name: string, tailLines: number): Promise<string> {
    const query = { tailLines };
    return (await undefinedOnStatus([400, 404], this.api.read<string>(caller, `${pods}/${name}/log`, { query }))) ?? '';
  }

  /** Returns the last lines of the log and then every new text until the container ends; nothing where `logs` returns nothing. */
  async follow(caller: Caller, name: string, tailLines: number): Promise<AsyncIterable<string>> {
    const query = { tailLines, follow: true };
    const log = this.api.stream(caller, `${pods}/${name}/log`, { query, timeoutMs: firstTextWithinMs });
    return (await undefinedOnStatus([400, 404], log)) ?? nothing();
  }
}

import { setTimeout as delay } from 'node:timers/promises';
import { DockerEngine } from '@stave/docker';
import { hostSocket } from '@stave/docker/testing';
import { clientOf, NodeMachine } from '@stave/driver-k8s-docker/testing';
import { aDriverContext } from '@stave/driver-sdk/testing';
import { mustBe } from './bench-report.js';

export const ctx = aDriverContext();
export const engine = new DockerEngine(hostSocket);

const EVERY_MS = 250;
const WITHIN_MS = 900_000;

interface Member {
  readonly metadata: { readonly name: string };
  readonly status: {
    readonly conditions: readonly { readonly type: string; readonly status: string }[];
    readonly nodeInfo: { readonly kubeletVersion: string };
  };
}

/** Seconds from the beginning until Kubernetes called its first node Ready, and all of its nodes. */
export interface Readiness {
  readonly first: number;
  readonly all: number;
}

const isReady = ({ status }: Member): boolean =>
  status.conditions.some(({ type, status: holds }) => type === 'Ready' && holds === 'True');

/** Asks the API server with the administrator's certificate in the container of a control plane. Undefined while it does not answer. */
async function membersAt(containerId: string): Promise<readonly Member[] | undefined> {
  try {
    const kubeconfig = await new NodeMachine(engine, containerId).read(ctx, '/etc/kubernetes/admin.conf');
    if (kubeconfig === undefined) return undefined;
    const [network] = Object.values((await engine.container(ctx, containerId))?.NetworkSettings.Networks ?? {});
    const reachable = kubeconfig.replace(/server: .*/, `server: https://${network?.IPAddress}:6443`);
    const list = await clientOf(reachable).read<{ items: readonly Member[] }>(ctx, '/api/v1/nodes', {
      timeoutMs: 3_000,
    });
    return list.items;
  } catch {
    return undefined; // neither the container nor the API server is complete yet
  }
}

/**
 * Measures from outside, in the same way for whoever makes the cluster, and checks the number and the version of its nodes. `controlPlane` returns
 * the container of the control plane once it exists.
 */
export async function readiness(
  begin: number,
  expected: { readonly nodes: number; readonly version: string },
  controlPlane: () => Promise<string | undefined>,
): Promise<Readiness> {
  const elapsed = (): number => (performance.now() - begin) / 1000;
  let first: number | undefined;
  for (;;) {
    const containerId = await controlPlane();
    const members = (containerId === undefined ? undefined : await membersAt(containerId)) ?? [];
    const ready = members.filter(isReady);
    if (ready.length > 0) first ??= elapsed();
    if (first !== undefined && ready.length === expected.nodes) {
      const all = elapsed();
      mustBe(members.length === expected.nodes, `${expected.nodes} nodes, not ${members.length}`);
      const versions = members.map(({ status }) => status.nodeInfo.kubeletVersion);
      mustBe(
        versions.every(one => one === `v${expected.version}`),
        `nodes of version ${expected.version}, not ${versions.join()}`,
      );
      return { first, all };
    }
    mustBe(elapsed() < WITHIN_MS / 1000, `${ready.length} of ${expected.nodes} nodes are Ready`);
    await delay(EVERY_MS);
  }
}

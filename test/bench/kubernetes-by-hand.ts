import { bootstrapNode, certificateHash } from '@stave/bootstrap';
import {
  descriptionOf,
  newAuthorities,
  newToken,
  NodeMachine,
  nodeContainerRequest,
} from '@stave/driver-k8s-docker/testing';
import { aClusterSpec, aNodeSpec } from '@stave/driver-sdk/testing';
import { mustBe } from './bench-report.js';
import { ctx, engine } from './kubernetes-readiness.js';

const NAME = 'stave-bench-kubernetes';
const WITHIN_MS = 600_000;
const LOG = '/var/log/by-hand.log';

const prepare = `set -euo pipefail
exec >${LOG} 2>&1
sysctl --quiet --load /etc/sysctl.d/90-stave.conf
until [ -e /var/lib/containerd/.node-images ]; do sleep 0.2; done`;

const init = `${prepare}
mkdir -p /etc/kubernetes/admission
cp --recursive /etc/stave/kubernetes/pki /etc/kubernetes/
cp /etc/stave/kubernetes/admission.yaml /etc/kubernetes/admission/configuration.yaml
kubeadm init --config /etc/stave/once/kubeadm.yaml
export KUBECONFIG=/etc/kubernetes/admin.conf
for manifest in /etc/stave/kubernetes/manifests/*.yaml; do kubectl apply --server-side --force-conflicts --filename "$manifest"; done`;

const join = `${prepare}
kubeadm join --config /etc/stave/once/kubeadm.yaml`;

interface HandNode {
  readonly role: 'manager' | 'worker';
  readonly flavor: { readonly cpus: number; readonly memoryMb: number };
}

/**
 * Makes a cluster of Kubernetes with the engine's API and kubeadm alone: containers with the image, the options and the configuration files of the
 * driver, all started at once; `kubeadm init` on the control plane, then `kubeadm join` on all workers at once.
 */
export class KubernetesByHand {
  /** The container of the control plane, once it exists. */
  controlPlane: string | undefined;
  private networkId: string | undefined;
  private readonly containers: string[] = [];

  /** The first node is the control plane. */
  async create(nodes: readonly HandNode[], image: string, version: string): Promise<void> {
    const IPAM = { Config: [{ Subnet: '10.95.251.0/24' }] };
    const { Id } = await engine.change<{ Id: string }>(ctx, 'POST', '/networks/create', { body: { Name: NAME, IPAM } });
    this.networkId = Id;
    const cluster = aClusterSpec({ name: 'bench' });
    const [token, authorities] = [newToken(), await newAuthorities()];
    const authorityHash = certificateHash(authorities.cluster.certificate);
    const start = async ({ role, flavor }: HandNode, n: number): Promise<NodeMachine> => {
      const spec = aNodeSpec({ cluster, name: `hand-${n}`, role, flavor });
      const address = `10.95.251.${n + 10}`;
      const body = nodeContainerRequest(spec, { image, version, address, labels: {}, networkId: Id });
      const query = { name: `${NAME}-${n}` };
      const made = await engine.change<{ Id: string }>(ctx, 'POST', '/containers/create', { query, body });
      this.containers.push(made.Id);
      const membership =
        role === 'manager'
          ? ({ kind: 'init', token, authorities } as const)
          : ({ kind: 'join', token, authorityHash } as const);
      const { files } = bootstrapNode(descriptionOf(spec, { address, publicAddress: address, version }, membership));
      const machine = new NodeMachine(engine, made.Id);
      await machine.configure(ctx, { files, units: [] });
      await engine.start(ctx, made.Id);
      if (role === 'manager') this.controlPlane = made.Id;
      return machine;
    };
    const [first, ...others] = await Promise.all(nodes.map(start));
    if (first) await run(first, init);
    await Promise.all(others.map(machine => run(machine, join)));
  }

  async remove(): Promise<void> {
    await Promise.all(this.containers.splice(0).map(id => engine.removeContainer(ctx, id)));
    if (this.networkId !== undefined) await engine.change(ctx, 'DELETE', `/networks/${this.networkId}`);
    this.networkId = undefined;
    this.controlPlane = undefined;
  }
}

async function run(machine: NodeMachine, script: string): Promise<void> {
  const code = await machine.run(ctx, ['bash', '-c', script], WITHIN_MS);
  mustBe(code === 0, `a step by hand ended with ${code}: ${code === 0 ? '' : await machine.read(ctx, LOG)}`);
}

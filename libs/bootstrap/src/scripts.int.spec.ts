import { bootstrapNode, type NodeDescription } from './index.js';
import {
  controlPlane,
  fullControlPlane,
  fullMachine,
  mesosMaster,
  nodes,
  secrets,
  swarmManager,
  swarmWorker,
  swarmWorkerWithTicket,
  worker,
  workerWithCertificate,
} from './testing/descriptions.fixture.js';
import { FolderMachine } from './testing/folder-machine.fixture.js';

const { readiness } = fullMachine;
const agent = nodes['agent of Mesos']!;
const addons = [{ name: 'metrics', text: 'kind: List\n' }];
const fullMember = { ...fullControlPlane, cluster: { ...controlPlane.cluster, addons }, readiness };
/** Nodes whose programs the folder machine has. */
const subjects: Readonly<Record<string, NodeDescription>> = {
  'first manager of a Swarm': { ...swarmManager, readiness },
  'worker of a Swarm': { ...swarmWorker, readiness },
  'worker of a Swarm with a ticket': { ...swarmWorkerWithTicket, readiness },
  'first control plane': { ...fullMember, sharesKernel: false },
  'first control plane that shares its kernel': fullMember,
  'worker of Kubernetes': { ...worker, readiness },
  'worker of Kubernetes with a certificate': { ...workerWithCertificate, readiness },
  'master of Mesos': { ...mesosMaster, readiness },
  'agent of Mesos': { ...agent, readiness },
};
/** Calls that change a machine. `restart` and requests with a body are the only ones of their programs that do. */
const changing =
  /^(apt-get|hostnamectl|kubeadm|systemctl restart|docker swarm|kubectl apply|curl .*(--data-binary|--output))/;

jest.setTimeout(120_000);
let machine: FolderMachine;
afterEach(() => machine.remove());

describe.each(Object.entries(subjects))('the scripts of the %s', (_, node) => {
  it('make it, and change nothing when they run again', async () => {
    machine = new FolderMachine(bootstrapNode(node));
    expect(await machine.run()).toMatchObject({ status: 'succeeded' });
    expect(machine.read('/var/lib/stave/outcome')).toBe('ready\n');
    expect(machine.read('/world/signals')).toBe('{"status":"SUCCESS","reason":"ready","id":"node-1","data":""}');
    const again = await machine.run();
    expect(again).toMatchObject({ status: 'succeeded' });
    expect(again.calls.filter(call => changing.test(call))).toEqual([]);
    expect(machine.read('/world/signals')?.match(/status/g)).toHaveLength(1);
  });

  it('show no secret in their output or in the arguments of a program, and remove what is needed once', async () => {
    machine = new FolderMachine(bootstrapNode(node));
    const { output, calls } = await machine.run();
    for (const secret of Object.values(secrets)) {
      expect(output).not.toContain(secret);
      expect(calls.filter(call => call.includes(secret))).toEqual([]);
    }
    expect(machine.read('/etc/stave/once/signal.curl')).toBeUndefined();
    expect(machine.read('/var/lib/stave/kubeadm.yaml')).toBeUndefined();
  });

  it('complete it after an interruption at any point', async () => {
    for (let point = 1; ; point += 1) {
      machine = new FolderMachine(bootstrapNode(node));
      const { status } = await machine.run(point);
      if (status === 'succeeded') return;
      expect({ point, status }).toEqual({ point, status: 'killed' });
      expect({ point, ...(await machine.run()) }).toMatchObject({ point, status: 'succeeded' });
      expect(machine.read('/var/lib/stave/outcome')).toBe('ready\n');
      expect(machine.read('/world/cluster-was-lost')).toBeUndefined();
      machine.remove();
    }
  });
});

describe('a worker with a ticket', () => {
  it('joins with the token of its role, which the first manager that answers has', async () => {
    machine = new FolderMachine(bootstrapNode({ ...swarmWorkerWithTicket, readiness }));
    expect(await machine.run()).toMatchObject({ status: 'succeeded' });
    const body = { ListenAddr: '0.0.0.0:2377', AdvertiseAddr: '10.0.0.7', JoinToken: secrets.swarmToken };
    expect(JSON.parse(machine.read('/world/swarm-request') ?? '')).toMatchObject(body);
    expect(machine.read('/etc/stave/once/ticket/key.pem')).toBeUndefined();
  });
});

describe('a step that cannot succeed', () => {
  it('is tried five times and reported by its name, and the next boot completes the node', async () => {
    machine = new FolderMachine(bootstrapNode({ ...swarmWorker, readiness }));
    machine.write('/world/apt-fails', '', 0o644);
    const { status, output } = await machine.run();
    expect(status).toBe('failed');
    expect(output.match(/step 02-software failed, try/g)).toHaveLength(5);
    expect(machine.read('/var/lib/stave/outcome')).toBe('step 02-software failed\n');
    expect(machine.read('/world/signals')).toContain('"status":"FAILURE","reason":"step 02-software failed"');
  });
});

describe('what the steps do', () => {
  it('a worker joins with its own address, by a request whose token is in no argument', async () => {
    machine = new FolderMachine(bootstrapNode(swarmWorker));
    await machine.run();
    expect(JSON.parse(machine.read('/world/swarm-request')!)).toEqual({
      ListenAddr: '0.0.0.0:2377',
      AdvertiseAddr: '10.0.0.7',
      RemoteAddrs: ['10.0.0.5:2377'],
      JoinToken: secrets.swarmToken,
    });
  });

  it('versions are installed as described, and programs of the node are not upgraded by the system', async () => {
    machine = new FolderMachine(bootstrapNode(worker));
    const { calls } = await machine.run();
    expect(calls.join('\n')).toMatch(/apt-get .*install .*kubeadm=1\.34\.2-\* kubelet=1\.34\.2-\* kubectl=1\.34\.2-\*/);
    expect(calls).toContain('apt-mark hold kubeadm kubelet kubectl');
  });

  it('a machine of Kubernetes has no swap, and authorities where kubeadm expects them', async () => {
    machine = new FolderMachine(bootstrapNode(subjects['first control plane']!));
    await machine.run();
    expect(machine.read('/etc/fstab')).toBe('/dev/vda1 / ext4 defaults 0 1\n#/dev/vda2 none swap sw 0 0\n');
    expect(machine.read('/etc/kubernetes/pki/etcd/ca.key')).toBe(secrets.key);
    expect(machine.read('/world/applied')).toBe('kind: List\n');
  });

  it('a daemon whose certificate changed is restarted', async () => {
    const node = {
      ...nodes['one of three masters with Marathon and TLS']!,
      readiness: { kind: 'file' },
    } as NodeDescription;
    machine = new FolderMachine(bootstrapNode(node));
    await machine.run();
    machine.write('/etc/stave/mesos/tls/cert.pem', 'a new one', 0o600);
    const { calls } = await machine.run();
    expect(calls.filter(call => /restart/.test(call))).toEqual(['systemctl restart mesos-master.service']);
  });
});

import { configDirectory } from '../machine/directories.js';
import type { BootstrapStep, MachineFile, MachinePart, MachineUnit } from '../machine/machine-configuration.js';
import { proxyDropIn } from '../machine/operating-system.js';
import { softwareStep, type RequiredPackage } from '../machine/software.js';
import { script } from '../shell/script.js';
import type { MesosNodeDescription } from './mesos-description.js';
import { mesosOperations } from './mesos-operations.js';
import { addressMark, environmentOf, tlsDirectory, zookeeperUrl } from './mesos-environment.js';
import { zookeeperFiles, zookeeperStep, zookeeperUnit } from './zookeeper.js';

const directory = `${configDirectory}/mesos`;

/** Returns what makes a machine a master, with ZooKeeper and optionally Marathon, or an agent of Mesos. */
export function mesosNode(node: MesosNodeDescription): MachinePart {
  const master = node.role === 'master';
  return {
    files: [
      ...environmentFiles(node),
      ...credentialFiles(node),
      ...tlsFiles(node),
      ...(master ? zookeeperFiles(node) : proxyDropIn(node, 'docker.service')),
      ...mesosOperations(node),
    ],
    units: master ? [zookeeperUnit, daemonUnit('mesos-master'), ...marathonUnit(node)] : [daemonUnit('mesos-agent')],
    steps: [softwareStep(node, packagesOf(node)), ...(master ? [zookeeperStep(node)] : []), ...daemonSteps(node)],
  };
}

function packagesOf({ role, version, marathon, containerizers = ['docker'] }: MesosNodeDescription): RequiredPackage[] {
  const one = (name: string, wanted?: string): RequiredPackage => ({
    apt: name,
    dnf: name,
    held: true,
    ...(wanted !== undefined && { version: wanted }),
  });
  const any = (name: string): RequiredPackage => ({ apt: name, dnf: name });
  const common = [any('curl'), any('iproute2'), one('mesos', version)];
  if (role === 'agent') return containerizers.includes('docker') ? [...common, any('docker.io')] : common;
  return [...common, any('zookeeper'), ...(marathon ? [one('marathon', marathon.version)] : [])];
}

function environmentFiles(node: MesosNodeDescription): MachineFile[] {
  return Object.entries(environmentOf(node)).map(([daemon, values]) => ({
    path: `${directory}/${daemon}.env.in`,
    content: Object.entries(values)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
    mode: 0o600,
  }));
}

/** Masters have a list of those whom they know, agents have their own one, clients on this machine send theirs. */
function credentialFiles({ cluster, role }: MesosNodeDescription): MachineFile[] {
  const { principal, secret } = cluster.credential;
  const known = role === 'master' ? { credentials: [cluster.credential] } : cluster.credential;
  return [
    { path: `${directory}/credential.json`, content: `${JSON.stringify(known)}\n`, mode: 0o600 },
    { path: `${directory}/marathon-secret`, content: secret, mode: 0o600 },
    { path: `${directory}/client.curl`, content: `user = "${principal}:${secret}"\n`, mode: 0o600 },
  ];
}

function tlsFiles({ tls }: MesosNodeDescription): MachineFile[] {
  if (!tls) return [];
  const contents = { ca: tls.authority, cert: tls.certificate, key: tls.key };
  return Object.entries(contents).map(([name, content]) => ({
    path: `${tlsDirectory}/${name}.pem`,
    content,
    mode: 0o600,
  }));
}

const unit = (description: string, after: string, service: string): string =>
  `[Unit]\nDescription=${description}\nWants=network-online.target\nAfter=network-online.target ${after}\n\n` +
  `[Service]\n${service}\nRestart=always\nRestartSec=5\nLimitNOFILE=65536\n\n[Install]\nWantedBy=multi-user.target\n`;

function daemonUnit(name: 'mesos-master' | 'mesos-agent'): MachineUnit {
  // the agent's containers continue while it restarts
  const kill = name === 'mesos-agent' ? '\nKillMode=process\nDelegate=yes' : '';
  const service = `EnvironmentFile=${directory}/${name}.env\nExecStart=${name}${kill}`;
  const after = name === 'mesos-agent' ? 'docker.service' : 'stave-zookeeper.service';
  return { name: `${name}.service`, content: unit(`Mesos: ${name}`, after, service), enabled: false };
}

function marathonUnit({ marathon, cluster }: MesosNodeDescription): MachineUnit[] {
  if (!marathon) return [];
  const zookeeper = zookeeperUrl(cluster.masters);
  const flags = [
    `--master ${zookeeper}/mesos`,
    `--zk ${zookeeper}/marathon`,
    `--http_port ${marathon.port}`,
    `--mesos_authentication_principal ${cluster.credential.principal}`,
    `--mesos_authentication_secret_file ${directory}/marathon-secret`,
  ];
  const content = unit('Marathon', 'mesos-master.service', `ExecStart=marathon ${flags.join(' ')}`);
  return [{ name: 'marathon.service', content, enabled: false }];
}

const daemonBody = `
sed "s/$mark/$(own_address "$address")/" "$directory/$daemon.env.in" | replace_file "$directory/$daemon.env" 600
mkdir -p "$work"
restart_if_changed "$daemon.service" "$directory/$daemon.env" "$directory/credential.json" "\${certificates[@]}"
answers() { curl --silent --fail --max-time 10 "\${client[@]}" --url "$scheme://$(own_address "$address"):$port/$path"; }
is_ready() { answers | grep --quiet --fixed-strings "$expected"; }
wait_until "$seconds" is_ready
`;

function daemonSteps(node: MesosNodeDescription): BootstrapStep[] {
  const master = node.role === 'master';
  const daemon = `mesos-${node.role}`;
  const tls = tlsFiles(node).map(({ path }) => path);
  const variables = {
    directory,
    daemon,
    work: `/var/lib/${daemon}`,
    mark: addressMark,
    address: node.address ?? '',
    certificates: tls,
    client: node.tls ? ['--cacert', `${tlsDirectory}/ca.pem`] : [],
    scheme: node.tls ? 'https' : 'http',
    port: master ? 5050 : 5051,
    path: master ? 'master/slaves' : 'metrics/snapshot',
    expected: master ? '"slaves"' : '"slave/registered":1.0',
    seconds: node.readyTimeoutSeconds ?? 600,
  };
  const body = master ? daemonBody.replace('"\${client[@]}"', '--location "\${client[@]}"') : daemonBody;
  const steps = [{ name: daemon, script: script(body, variables) }];
  if (!node.marathon) return steps;
  const marathon = {
    name: 'marathon',
    script: script(marathonBody, { port: node.marathon.port, seconds: variables.seconds }),
  };
  return [...steps, marathon];
}

const marathonBody = `
restart_if_changed marathon.service /etc/systemd/system/marathon.service
answers() { curl --silent --fail --max-time 10 --output /dev/null "http://127.0.0.1:$port/ping"; }
wait_until "$seconds" answers
`;

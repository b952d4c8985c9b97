import { configDirectory, secretsDirectory } from '../machine/directories.js';
import type { BootstrapStep, MachineFile, MachinePart, MachineUnit } from '../machine/machine-configuration.js';
import { proxyDropIn } from '../machine/operating-system.js';
import { softwareStep } from '../machine/software.js';
import { script } from '../shell/script.js';
import type { JoinTicket, SwarmNodeDescription } from './swarm-description.js';
import { swarmOperations } from './swarm-operations.js';

const daemonFile = '/etc/docker/daemon.json';
const requestFile = `${secretsDirectory}/swarm.json`;
const tlsDirectory = `${configDirectory}/engine`;
const dropIn = 'docker.service.d/stave-api.conf';

/** Returns what makes a machine a node of a Swarm. The engine must be 20.10 or later. */
export function swarmNode(node: SwarmNodeDescription): MachinePart {
  const version = node.engineVersion === undefined ? {} : { version: node.engineVersion };
  const docker = { apt: 'docker.io', dnf: 'moby-engine', held: true, ...version };
  const curl = { apt: 'curl', dnf: 'curl' };
  return {
    files: [
      ...[daemonConfiguration(node), ...tlsFiles(node), request(node), ...ticketFiles(node)],
      ...[...proxyDropIn(node, 'docker.service'), ...swarmOperations(node)],
    ],
    units: apiUnit(node),
    steps: [softwareStep(node, [docker, curl]), engineStep(node), membershipStep(node)],
  };
}

function daemonConfiguration({ engineLabels = {}, registryMirrors = [], api }: SwarmNodeDescription): MachineFile {
  const labels = Object.entries(engineLabels).map(([key, value]) => `${key}=${value}`);
  const tls = { tlsverify: true, tlscacert: pemPath('ca'), tlscert: pemPath('cert'), tlskey: pemPath('key') };
  const content = {
    ...(labels.length > 0 && { labels }),
    ...(registryMirrors.length > 0 && { 'registry-mirrors': registryMirrors }),
    ...(api && tls),
    'log-driver': 'json-file',
    'log-opts': { 'max-size': '10m', 'max-file': '3' },
  };
  return { path: daemonFile, content: `${JSON.stringify(content, undefined, 2)}\n`, mode: 0o644 };
}

const pemPath = (name: string): string => `${tlsDirectory}/${name}.pem`;

function tlsFiles({ api }: SwarmNodeDescription): MachineFile[] {
  if (!api) return [];
  const contents = { ca: api.authority, cert: api.certificate, key: api.key };
  return Object.entries(contents).map(([name, content]) => ({ path: pemPath(name), content, mode: 0o600 }));
}

function apiUnit({ api }: SwarmNodeDescription): MachineUnit[] {
  if (!api) return [];
  const command = `dockerd --host=fd:// --host=tcp://0.0.0.0:${api.port} --containerd=/run/containerd/containerd.sock`;
  return [{ name: dropIn, content: `[Service]\nExecStart=\nExecStart=${command}\n`, enabled: false }];
}

const engineBody = `
restart_if_changed docker.service "\${configuration[@]}"
wait_until "$seconds" docker version
`;

function engineStep(node: SwarmNodeDescription): BootstrapStep {
  const tls = tlsFiles(node).map(({ path }) => path);
  const units = apiUnit(node).map(({ name }) => `/etc/systemd/system/${name}`);
  const proxies = proxyDropIn(node, 'docker.service').map(({ path }) => path);
  const variables = { configuration: [daemonFile, ...tls, ...units, ...proxies], seconds: secondsOf(node) };
  return { name: 'engine', script: script(engineBody, variables) };
}

const secondsOf = ({ readyTimeoutSeconds }: SwarmNodeDescription): number => readyTimeoutSeconds ?? 600;

const addressMark = '@ADDRESS@';
const tokenMark = '@TOKEN@';
const ticketDirectory = `${secretsDirectory}/ticket`;

const ticketOf = ({ join }: SwarmNodeDescription): JoinTicket | undefined =>
  join && 'ticket' in join ? join.ticket : undefined;

function ticketFiles(node: SwarmNodeDescription): MachineFile[] {
  const ticket = ticketOf(node);
  if (!ticket) return [];
  const contents = { ca: ticket.authority, cert: ticket.certificate, key: ticket.key };
  return Object.entries(contents).map(([name, content]) => ({
    path: `${ticketDirectory}/${name}.pem`,
    content,
    mode: 0o600,
  }));
}

/** The body of the request that initializes or joins the Swarm: a join token stays in a file and reaches no command line. */
function request({ role, address, join, settings = {} }: SwarmNodeDescription): MachineFile {
  const { addressPools, subnetPrefix, certificateHours, heartbeatSeconds } = settings;
  const initial = {
    ...(addressPools && { DefaultAddrPool: addressPools }),
    ...(subnetPrefix !== undefined && { SubnetSize: subnetPrefix }),
    Spec: {
      ...(certificateHours !== undefined && { CAConfig: { NodeCertExpiry: certificateHours * 3_600e9 } }),
      ...(heartbeatSeconds !== undefined && { Dispatcher: { HeartbeatPeriod: heartbeatSeconds * 1e9 } }),
    },
  };
  const further = { RemoteAddrs: join?.managers, JoinToken: join && 'token' in join ? join.token : tokenMark };
  const common = { ListenAddr: '0.0.0.0:2377', AdvertiseAddr: address ?? addressMark };
  const body = { ...common, ...(role === 'first-manager' ? initial : further) };
  return { path: requestFile, content: `${JSON.stringify(body)}\n`, mode: 0o600 };
}

const membershipBody = `
state() { docker info --format '{{.Swarm.LocalNodeState}}'; }
is_active() { [ "$(state)" = active ]; }
found=$(state)
if [ "$found" = locked ]; then
  echo 'the Swarm of this node is locked: unlock it first' >&2
  exit 1
fi
if [ "$found" != active ]; then
  if [ "$found" != inactive ]; then docker swarm leave --force >/dev/null; fi
  token=$(join_token)
  body=$(cat "$request")
  body=\${body//"$address_mark"/"$(own_address)"}
  # printf is part of the shell: the token is in no command line
  printf '%s' "\${body//"$token_mark"/"$token"}" |
    curl --fail --silent --show-error --output /dev/null --unix-socket /run/docker.sock --header 'Content-Type: application/json' \\
      --data-binary @- "http://engine/swarm/$action"
fi
wait_until "$seconds" is_active
`;

const noTicket = 'join_token() { :; }';

/** Asks each manager in turn, until one answers. */
const withTicket = `
join_token() {
  local end=$((SECONDS + seconds)) host answer found
  while [ "$SECONDS" -lt "$end" ]; do
    for host in "\${managers[@]}"; do
      answer=$(curl --fail --silent --max-time 10 --connect-to "$server:$port:$host:$port" --cacert "$ticket/ca.pem" \\
        --cert "$ticket/cert.pem" --key "$ticket/key.pem" "https://$server:$port/swarm") || continue
      found=$(sed -n "s/.*\\"$kind\\":\\"\\\\(SWMTKN-[^\\"]*\\\\)\\".*/\\\\1/p" <<<"$answer")
      if [ -n "$found" ]; then
        echo "$found"
        return
      fi
    done
    sleep 2
  done
  echo 'no manager answered with a join token' >&2
  return 1
}
`;

function membershipStep(node: SwarmNodeDescription): BootstrapStep {
  const action = node.role === 'first-manager' ? 'init' : 'join';
  const common = {
    ...{ action, request: requestFile, address_mark: addressMark, token_mark: tokenMark },
    seconds: secondsOf(node),
  };
  const ticket = ticketOf(node);
  if (!ticket) return { name: 'membership', script: script(`${noTicket}\n${membershipBody}`, common) };
  const variables = {
    ...common,
    ticket: ticketDirectory,
    managers: (node.join?.managers ?? []).map(manager => manager.replace(/:\d+$/, '')),
    server: ticket.serverName,
    port: ticket.port,
    kind: node.role === 'manager' ? 'Manager' : 'Worker',
  };
  return { name: 'membership', script: script(`${withTicket.trim()}\n${membershipBody}`, variables) };
}

import { configDirectory, libDirectory } from '../machine/directories.js';
import type { MachineFile } from '../machine/machine-configuration.js';
import { script } from '../shell/script.js';
import type { MesosNodeDescription } from './mesos-description.js';
import { tlsDirectory } from './mesos-environment.js';

const leaveBody = `
systemctl disable --quiet --now "\${units[@]}"
rm -rf "\${data[@]}"
`;

const drainBody = `
printf '{"type":"DRAIN_AGENT","drain_agent":{"agent_id":{"value":"%s"},"max_grace_period":{"nanoseconds":%s000000000}}}' "$1" "$seconds" |
  curl --config "$client" --silent --show-error --fail --location-trusted --output /dev/null "\${tls[@]}" \\
    --header 'Content-Type: application/json' --data-binary @- --url "$scheme://$(own_address "$address"):5050/api/v1"
`;

/** Returns the scripts for later: `leave` on every node; on masters `drain <agent id>`, which ends the tasks of an agent and keeps new ones away. */
export function mesosOperations(node: MesosNodeDescription): MachineFile[] {
  const operation = (name: string, content: string): MachineFile => ({
    path: `${libDirectory}/${name}`,
    content,
    mode: 0o755,
  });
  if (node.role === 'agent')
    return [operation('leave', script(leaveBody, { units: ['mesos-agent.service'], data: ['/var/lib/mesos-agent'] }))];
  const marathon = node.marathon ? ['marathon.service'] : [];
  const units = [...marathon, 'mesos-master.service', 'stave-zookeeper.service'];
  const drain = {
    client: `${configDirectory}/mesos/client.curl`,
    tls: node.tls ? ['--cacert', `${tlsDirectory}/ca.pem`] : [],
    scheme: node.tls ? 'https' : 'http',
    address: node.address ?? '',
    seconds: node.readyTimeoutSeconds ?? 600,
  };
  return [
    operation('leave', script(leaveBody, { units, data: ['/var/lib/mesos-master', '/var/lib/zookeeper'] })),
    operation('drain', script(drainBody, drain)),
  ];
}

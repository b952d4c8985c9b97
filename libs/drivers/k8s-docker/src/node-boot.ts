import type { MachineUnit } from '@stave/bootstrap';
import type { Caller } from '@stave/docker';
import { unitDirectory, type NodeMachine, type Placed } from './node-machine.js';

/** There when the node has its whole configuration. */
const configuredPath = '/etc/stave/configured';

const waiting: MachineUnit = {
  name: 'stave-configured.path',
  content: `[Unit]
Description=Waits until this node has its configuration

[Path]
PathExists=${configuredPath}

[Install]
WantedBy=multi-user.target
`,
  enabled: true,
};

/** A start of a target that is active already starts what it wants, but not what others want that it wants. */
const starting: MachineUnit = {
  name: 'stave-configured.service',
  content: `[Unit]
Description=Starts the units of the configuration of this node

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/bin/systemctl daemon-reload
ExecStart=/usr/bin/systemctl start --no-block multi-user.target timers.target
`,
  enabled: false,
};

/** The node may boot while its configuration is written: what was written so far must not be run. */
const condition: MachineUnit = {
  name: 'stave-bootstrap.service.d/configured.conf',
  content: `[Unit]\nConditionPathExists=${configuredPath}\n`,
  enabled: false,
};

/** What a node boots with before anything is known of its cluster: it starts containerd, loads its images, and waits for its configuration. */
export const bootConfiguration: Placed = { files: [], units: [waiting, starting, condition] };

/** Written after the configuration of a node, in a request of its own: the node then starts to become a member. */
export const configuredMark: Placed = { files: [{ path: configuredPath, content: '', mode: 0o600 }], units: [] };

/** Returns whether a node that has run has its whole configuration. */
export async function isConfigured(caller: Caller, machine: NodeMachine): Promise<boolean> {
  if ((await machine.read(caller, configuredPath)) !== undefined) return true;
  // nodes of earlier releases got their configuration before they first ran, and do not wait for it
  return (await machine.read(caller, `${unitDirectory}/${waiting.name}`)) === undefined;
}

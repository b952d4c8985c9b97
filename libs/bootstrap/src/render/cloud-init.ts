import type { MachineConfiguration, MachineFile } from '../machine/machine-configuration.js';
import { yamlDocument } from './yaml.js';

/** Returns the configuration as user data for cloud-init (`#cloud-config`). It contains secrets: only the machine may read it. */
export function cloudInitDocument(machine: MachineConfiguration): string {
  const enabled = machine.units.filter(unit => unit.enabled).map(unit => unit.name);
  const document = {
    hostname: machine.hostname,
    manage_etc_hosts: 'localhost',
    ...(machine.authorizedKeys.length > 0 && { ssh_authorized_keys: machine.authorizedKeys }),
    write_files: [...machine.files, ...machine.units.map(unitFile)].map(({ path, content, mode }) => ({
      path,
      owner: 'root:root',
      permissions: mode.toString(8).padStart(4, '0'),
      content,
    })),
    runcmd: [
      ['systemctl', 'daemon-reload'],
      ['systemctl', 'enable', ...enabled],
      // nothing else starts what was enabled after the boot
      ['systemctl', 'start', '--no-block', ...enabled],
    ],
  };
  return `#cloud-config\n${yamlDocument(document)}`;
}

const unitFile = ({ name, content }: { name: string; content: string }): MachineFile => ({
  path: `/etc/systemd/system/${name}`,
  content,
  mode: 0o644,
});

import type { MachineConfiguration, MachineFile, MachineUnit } from '../machine/machine-configuration.js';

const placeholder = /__[A-Z][A-Z0-9_]*__/;

/**
 * Returns the configuration as a document for Ignition, specification 3.3.0. It contains secrets: only the machine may read it.
 * A file with a placeholder is not compressed or encoded as base64, so that Heat can replace it.
 */
export function ignitionDocument(machine: MachineConfiguration): string {
  const dropIns = machine.units.filter(unit => unit.name.includes('/'));
  const files = [
    ...machine.files,
    ...dropIns.map(unit => ({ path: `/etc/systemd/system/${unit.name}`, content: unit.content, mode: 0o644 })),
    { path: '/etc/hostname', content: `${machine.hostname}\n`, mode: 0o644 },
  ];
  const document = {
    ignition: { version: '3.3.0' },
    ...(machine.authorizedKeys.length > 0 && {
      passwd: { users: [{ name: 'core', sshAuthorizedKeys: machine.authorizedKeys }] },
    }),
    storage: { files: files.map(fileEntry) },
    systemd: { units: machine.units.filter(unit => !unit.name.includes('/')).map(unitEntry) },
  };
  return `${JSON.stringify(document, undefined, 1)}\n`;
}

const fileEntry = ({ path, content, mode }: MachineFile) => ({
  path,
  mode,
  overwrite: true,
  contents: { source: source(content) },
});

const unitEntry = ({ name, content, enabled }: MachineUnit) => ({ name, enabled, contents: content });

function source(content: string): string {
  if (placeholder.test(content)) return `data:,${encodeURIComponent(content)}`;
  return `data:;base64,${Buffer.from(content).toString('base64')}`;
}

import type { MachineDescription, PackageRepository } from '../description/machine-description.js';
import { script } from '../shell/script.js';
import { configDirectory } from './directories.js';
import type { BootstrapStep, MachineFile, MachinePart } from './machine-configuration.js';

/** Whether the system has apt; the others have dnf, or, as Fedora CoreOS, no packages that can be installed while it runs. */
export const hasApt = (os: MachineDescription['os']): boolean => os === 'debian' || os === 'ubuntu';

/** Returns name, proxy, further authorities of certificates and repositories of packages of the machine. */
export function operatingSystem(machine: MachineDescription): MachinePart {
  const { software, os } = machine;
  const repositories = software.kind === 'packages' ? (software.repositories ?? []) : [];
  const files = [...proxyFiles(machine), ...authorityFiles(machine), ...repositories.flatMap(repositoryFiles(os))];
  return { files, steps: [systemStep(machine)] };
}

const systemBody = `
if [ "$(cat /proc/sys/kernel/hostname)" != "$hostname" ]; then
  hostnamectl set-hostname "$hostname"
fi
if [ "$authorities" -gt 0 ]; then "$trust"; fi
`;

function systemStep({ hostname, os, trustedAuthorities = [] }: MachineDescription): BootstrapStep {
  const trust = hasApt(os) ? 'update-ca-certificates' : 'update-ca-trust';
  const variables = { hostname, trust, authorities: trustedAuthorities.length };
  return { name: 'system', script: script(systemBody, variables) };
}

function proxyFiles({ proxy }: MachineDescription): MachineFile[] {
  if (!proxy) return [];
  const values = { http_proxy: proxy.http, https_proxy: proxy.https, no_proxy: proxy.noProxy?.join(',') };
  const lines = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${value}`, `${name.toUpperCase()}=${value}`],
  );
  return [{ path: `${configDirectory}/proxy.env`, content: `${lines.join('\n')}\n`, mode: 0o600 }];
}

function authorityFiles({ os, trustedAuthorities = [] }: MachineDescription): MachineFile[] {
  const directory = hasApt(os) ? '/usr/local/share/ca-certificates' : '/etc/pki/ca-trust/source/anchors';
  return trustedAuthorities.map((content, index) => ({
    path: `${directory}/stave-${index + 1}.crt`,
    content,
    mode: 0o644,
  }));
}

const repositoryFiles =
  (os: MachineDescription['os']) =>
  (repository: PackageRepository): MachineFile[] =>
    hasApt(os) ? aptFiles(repository) : dnfFiles(repository);

function aptFiles({ name, url, suite = '/', components = [], signingKey }: PackageRepository): MachineFile[] {
  const key = `/etc/apt/keyrings/${name}.asc`;
  const lines = ['Types: deb', `URIs: ${url}`, `Suites: ${suite}`];
  if (components.length > 0) lines.push(`Components: ${components.join(' ')}`);
  lines.push(`Signed-By: ${key}`);
  return [
    { path: key, content: signingKey, mode: 0o644 },
    { path: `/etc/apt/sources.list.d/${name}.sources`, content: `${lines.join('\n')}\n`, mode: 0o644 },
  ];
}

function dnfFiles({ name, url, signingKey }: PackageRepository): MachineFile[] {
  const key = `/etc/pki/rpm-gpg/${name}`;
  const lines = [`[${name}]`, `name=${name}`, `baseurl=${url}`, 'enabled=1', 'gpgcheck=1', `gpgkey=file://${key}`];
  return [
    { path: key, content: signingKey, mode: 0o644 },
    { path: `/etc/yum.repos.d/${name}.repo`, content: `${lines.join('\n')}\n`, mode: 0o644 },
  ];
}

/** Returns the drop-in that gives a service the proxy of the machine; nothing without a proxy. */
export function proxyDropIn({ proxy }: MachineDescription, service: string): MachineFile[] {
  if (!proxy) return [];
  const content = `[Service]\nEnvironmentFile=${configDirectory}/proxy.env\n`;
  return [{ path: `/etc/systemd/system/${service}.d/stave-proxy.conf`, content, mode: 0o644 }];
}

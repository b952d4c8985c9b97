import { script, type MachineConfiguration } from '@stave/bootstrap';
import { DriverError, type NodeVolume } from '@stave/driver-sdk';
import type { Template } from '../stacks/templates.js';

/** Before the steps of the bootstrapping, which may use the file systems. */
const stepPath = '/usr/local/lib/stave/steps/00-volumes';

/** Virtio shows the first 20 characters of a volume's id. A volume that has a file system keeps it. */
const body = `
for index in "\${!ids[@]}"; do
  path=\${paths[$index]}
  device=/dev/disk/by-id/virtio-\${ids[$index]:0:20}
  wait_until "$seconds" test -b "$device"
  if ! blkid "$device" >/dev/null; then mkfs.ext4 -q "$device"; fi
  mkdir -p "$path"
  if ! grep --quiet --fixed-strings " $path ext4 " /etc/fstab; then echo "$device $path ext4 defaults,nofail 0 2" >>/etc/fstab; fi
  mountpoint --quiet "$path" || mount "$path"
done
`;

const placeholder = (index: number): string => `__VOLUME_${index}__`;

/** Adds the step that mounts the volumes of a node. Throws a permanent DriverError for a path that a file system table cannot have. */
export function withVolumeStep(
  machine: MachineConfiguration,
  volumes: readonly NodeVolume[],
  seconds: number,
): MachineConfiguration {
  if (volumes.length === 0) return machine;
  const paths = volumes.map(({ mountPath }) => mountPath);
  const wrong = paths.find(path => !/^(\/[A-Za-z0-9._@+-]+)+$/.test(path));
  if (wrong !== undefined) throw new DriverError('permanent', `volumes cannot be mounted at ${wrong}`);
  const content = script(body, { ids: volumes.map((_, index) => placeholder(index)), paths, seconds });
  return { ...machine, files: [...machine.files, { path: stepPath, content, mode: 0o755 }] };
}

interface Resource {
  readonly type: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** Adds the volumes of a node and their attachments to its template, and their ids to its user data. */
export function withVolumes(template: Template, volumes: readonly NodeVolume[]): Template {
  if (volumes.length === 0) return template;
  const { resources } = template as { readonly resources: Readonly<Record<string, Resource>> };
  const server = resources['server'];
  const userData = server?.properties['user_data'] as { readonly str_replace?: UserData } | undefined;
  if (!server || !userData?.str_replace)
    throw new DriverError('permanent', 'templates/node.yaml has no server with user_data of str_replace');
  const ids = volumes.map((_, index) => [placeholder(index), { get_resource: `volume_${index}` }]);
  const params = { ...userData.str_replace.params, ...Object.fromEntries(ids) };
  const properties = { ...server.properties, user_data: { str_replace: { ...userData.str_replace, params } } };
  const added = volumes.flatMap(resourcesOf);
  return { ...template, resources: { ...resources, server: { ...server, properties }, ...Object.fromEntries(added) } };
}

interface UserData {
  readonly template: unknown;
  readonly params: Readonly<Record<string, unknown>>;
}

function resourcesOf({ name, sizeGb, type }: NodeVolume, index: number): [string, Resource][] {
  const properties = { name, size: sizeGb, ...(type !== undefined && { volume_type: type }) };
  const attached = { instance_uuid: { get_resource: 'server' }, volume_id: { get_resource: `volume_${index}` } };
  return [
    [`volume_${index}`, { type: 'OS::Cinder::Volume', properties }],
    [`attachment_${index}`, { type: 'OS::Cinder::VolumeAttachment', properties: attached }],
  ];
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { ClusterSpec, NodeSpec, Options } from '@stave/driver-sdk';

type Attributes = Readonly<Record<string, unknown>>;

/** What a node that is made of a machine has from that: its size, and when it is lost. */
export interface NodeOnEngine {
  readonly flavor?: NodeSpec['flavor'];
  readonly lostAfterMs?: number | undefined;
}

const templateIn = (name: string): Attributes =>
  JSON.parse(readFileSync(join(__dirname, '..', 'templates', `${name}.json`), 'utf8'));

const templates = { cluster: templateIn('cluster'), node: templateIn('node') };

/** Returns the attributes of the unit of a cluster, by `templates/cluster.json`. */
export const clusterTemplate = ({ name, labels, network, api, options }: ClusterSpec): Attributes =>
  filled(templates.cluster, { name, labels, network, port: api.port ?? 2375, options });

/** Returns the attributes of the unit of a node, by `templates/node.json`. */
export function nodeTemplate(spec: NodeSpec, { flavor = spec.flavor, lostAfterMs }: NodeOnEngine = {}): Attributes {
  const { name, ordinal, role, image, region, labels, taints, dataVolumeGb, volumes, nodeGroup } = spec;
  const options = optionsOf(spec);
  const groupOptions = ownOptionsOf(spec);
  const own = {
    name,
    group: nodeGroup.id,
    ordinal,
    role,
    flavor,
    image,
    region,
    labels,
    taints,
    dataVolumeGb,
    volumes,
  };
  return filled(templates.node, { ...own, lostAfterMs, ...unlessEmpty({ options }), ...unlessEmpty({ groupOptions }) });
}

/** Returns the options of a node: those of its group override those of its cluster. */
export const optionsOf = (spec: NodeSpec): Options => ({ ...spec.cluster.options, ...spec.options });

/** Returns the options of the group that differ from those of the cluster: only those keep their value when the cluster changes. */
export const ownOptionsOf = ({ cluster, options }: NodeSpec): Options =>
  Object.fromEntries(
    Object.entries(options).filter(([name, value]) => !isDeepStrictEqual(value, cluster.options[name])),
  );

/** Puts values in place of texts such as `{{name}}`; members whose value is not given are left out. */
export const filled = (template: Attributes, values: Attributes): Attributes =>
  Object.fromEntries(
    Object.entries(template).flatMap(([member, value]) => {
      const [, name] = (typeof value === 'string' && /^\{\{(\w+)\}\}$/.exec(value)) || [];
      const given = name === undefined ? value : values[name];
      return given === undefined ? [] : [[member, given]];
    }),
  );

const unlessEmpty = (named: Readonly<Record<string, Options>>): Attributes =>
  Object.fromEntries(Object.entries(named).filter(([, options]) => Object.keys(options).length > 0));

import type { DescriptionProblem } from '../description/description-problem.js';
import {
  integer,
  listOf,
  machineProperties,
  object,
  oneOf,
  patterns,
  pem,
  requiredOfMachine,
  text,
  type Schema,
} from '../description/machine-schema.js';
import type { MesosNodeDescription } from './mesos-description.js';

const word = text('^[A-Za-z0-9._-]+$', 128);

const clusterSchema = object(
  {
    name: text(patterns.name, 63),
    masters: listOf(object({ id: integer(1, 255), host: text('^[A-Za-z0-9.-]+$') }, ['id', 'host']), 1),
    credential: object({ principal: word, secret: text('^[A-Za-z0-9._+/=-]{8,}$', 256) }, ['principal', 'secret']),
  },
  ['name', 'masters', 'credential'],
);

const common = {
  ...machineProperties,
  engine: oneOf('mesos'),
  role: oneOf('master', 'agent'),
  cluster: clusterSchema,
  version: text(patterns.version, 64),
  tls: object({ authority: pem, certificate: pem, key: pem }, ['authority', 'certificate', 'key']),
};
const required = [...requiredOfMachine, 'cluster'];
const marathon = object({ port: integer(1, 65_535), version: text(patterns.version, 64) }, ['port']);
const master = object({ ...common, masterId: integer(1, 255), marathon }, [...required, 'masterId']);
const attributes = { type: 'object', propertyNames: word, additionalProperties: word };
const agent = object({ ...common, attributes, containerizers: listOf(oneOf('docker', 'mesos'), 1) }, required);

/** Returns the schema of the description of a node of a Mesos cluster with this role. */
export const mesosSchema = (role: unknown): Schema => (role === 'master' ? master : agent);

/** Returns what the schema cannot express. */
export function problemsOfMesos({ os, cluster, role, masterId }: MesosNodeDescription): DescriptionProblem[] {
  const problems: DescriptionProblem[] = [];
  const ids = cluster.masters.map(({ id }) => id);
  if (os !== 'debian' && os !== 'ubuntu')
    problems.push({
      pointer: '/os',
      code: 'unsupported',
      detail: 'Mesos and ZooKeeper are set up on debian and ubuntu',
    });
  if (ids.length % 2 === 0)
    problems.push({ pointer: '/cluster/masters', code: 'even', detail: 'the number of masters must be odd' });
  cluster.masters.forEach(({ id }, index) => {
    if (ids.indexOf(id) !== index)
      problems.push({
        pointer: `/cluster/masters/${index}/id`,
        code: 'duplicate',
        detail: 'is the id of another master',
      });
  });
  if (role === 'master' && masterId !== undefined && !ids.includes(masterId))
    problems.push({ pointer: '/masterId', code: 'unknown', detail: 'must be the id of one of the masters' });
  return problems;
}

import type { DescriptionProblem } from '../description/description-problem.js';
import { problemsOfSubnet } from '../description/machine-problems.js';
import {
  formBy,
  integer,
  listOf,
  machineProperties,
  object,
  oneOf,
  patterns,
  pem,
  requiredOfMachine,
  text,
  url,
  type Schema,
} from '../description/machine-schema.js';
import type { SwarmNodeDescription } from './swarm-description.js';

const managers = listOf(text(patterns.hostPort), 1);
const ticket = object(
  { port: integer(1, 65_535), serverName: text(patterns.name), authority: pem, certificate: pem, key: pem },
  ['port', 'serverName', 'authority', 'certificate', 'key'],
);
const joinSchema = formBy(
  'ticket',
  object({ managers, ticket }, ['managers', 'ticket']),
  object({ managers, token: text('^SWMTKN-1-[a-z0-9]+-[a-z0-9]+$', 128) }, ['managers', 'token']),
);

const settingsSchema = object({
  addressPools: listOf(text('^[0-9./]+$', 18), 1),
  subnetPrefix: integer(8, 29),
  certificateHours: integer(1, 87_600),
  heartbeatSeconds: integer(1, 3_600),
});

const apiSchema = object({ port: integer(1, 65_535), authority: pem, certificate: pem, key: pem }, [
  'port',
  'authority',
  'certificate',
  'key',
]);

const common = {
  ...machineProperties,
  engine: oneOf('swarm'),
  role: oneOf('first-manager', 'manager', 'worker'),
  engineVersion: text(patterns.version, 64),
  engineLabels: {
    type: 'object',
    propertyNames: text(patterns.labelKey),
    additionalProperties: text(patterns.line, 1_024),
  },
  registryMirrors: listOf(url),
  api: apiSchema,
};

const first = object({ ...common, settings: settingsSchema }, requiredOfMachine);
const further = object({ ...common, join: joinSchema }, [...requiredOfMachine, 'join']);

/** Returns the schema of the description of a node of a Swarm with this role. */
export const swarmSchema = (role: unknown): Schema => (role === 'first-manager' ? first : further);

/** Returns what the schema cannot express. */
export const problemsOfSwarm = ({ settings }: SwarmNodeDescription): DescriptionProblem[] =>
  (settings?.addressPools ?? []).flatMap((pool, index) => problemsOfSubnet(`/settings/addressPools/${index}`, pool));

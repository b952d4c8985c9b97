import { closed, immutables, named, noBody, nullable } from './json-schema.js';
import * as p from './primitives.js';

/** Answers, events and the audit show the URL, so a password has no place in it. */
const url = {
  type: 'string',
  maxLength: 2048,
  pattern: '^[a-z][a-z0-9+.-]{0,31}://(?![^/?#\\s]*:[^/?#\\s]*@)[^\\s]+$',
  format: 'line',
  description:
    'how conductors reach the engine, without a password: a scheme that a driver names in machineSchemes, such as tcp://10.0.0.5:2376',
};
const secret = {
  type: 'string',
  pattern: '^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$',
  description: 'the name of a directory below SECRETS_DIR/machines on the machines of the conductors',
};
const engine = closed({ url, secret }, ['url']);
const place = { zone: p.shortText, region: p.shortText };
const conductorGroup = {
  ...p.conductorGroup,
  description: 'whose conductors reach the engine; default: the default group',
};

const machineCreate = named(
  'MachineCreate',
  closed({ name: p.name, engine, labels: p.labels, ...place, conductorGroup }, ['name', 'engine']),
);

const machinePatch = named(
  'MachinePatch',
  closed({
    labels: nullable(p.labelChanges),
    zone: nullable(place.zone),
    region: nullable(place.region),
    conductorGroup: nullable(conductorGroup),
    ...immutables('id', 'name', 'engine', 'capacity', 'createdAt'),
  }),
);

export const machineRequests = {
  create: machineCreate,
  patch: machinePatch,
  delete: noBody,
  actions: { drain: noBody, resume: noBody, clean: noBody },
};

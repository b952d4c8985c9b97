import { type Filter } from './filter.js';
import { chooseHostPorts } from '../host-ports.js';

export const hostPort: Filter = {
  code: 'HOST_PORT_TAKEN',
  isFixed: false,
  applies: ({ hostPorts = [] }) => hostPorts.length > 0,
  refuses:
    ({ hostPorts = [] }, { contents }) =>
    node =>
      typeof chooseHostPorts(hostPorts, contents.takenOn(node)) === 'string',
  sentence: ({ hostPorts = [] }) =>
    `A host port of ${hostPorts.map(({ port, protocol }) => `${port === 0 ? 'any' : port}/${protocol}`).join(', ')} is taken.`,
  remedy: ({ hostPorts = [] }) => ({
    cost: 2,
    sentence: `ask for another host port than ${hostPorts.map(({ port }) => port).join(', ')}`,
  }),
};

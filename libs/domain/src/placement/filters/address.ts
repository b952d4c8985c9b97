import { type Filter } from './filter.js';

export const address: Filter = {
  code: 'ADDRESS_TAKEN',
  isFixed: false,
  applies: ({ network }) => network?.ipv4 !== undefined,
  refuses:
    ({ network }, { contents }) =>
    node =>
      network?.ipv4 !== undefined &&
      contents.isAddressTaken(
        { network: network.name, ipv4: network.ipv4 },
        network.scope === 'node' ? node : undefined,
      ),
  sentence: ({ network }) => `Another container has the address ${network?.ipv4} in network ${network?.name}.`,
  remedy: ({ network }) => ({ cost: 5, sentence: `ask for another address than ${network?.ipv4}` }),
};

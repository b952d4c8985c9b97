import { byView, type Filter } from './filter.js';
import { lacksPlugin } from './plugins.js';

export const networkDriver: Filter = {
  code: 'NETWORK_DRIVER_MISSING',
  isFixed: true,
  applies: request => request.network !== undefined,
  refuses: byView(
    ({ network }, node) => network !== undefined && lacksPlugin(node, node.networkDrivers, network.driver),
  ),
  sentence: request => `The node does not have the network driver ${request.network?.driver}.`,
  remedy: (request, node) => ({
    cost: 5,
    sentence: `install the network driver ${request.network?.driver} on node ${node.name}`,
  }),
};

import { byView, type Filter } from './filter.js';
import type { NodeView, PlacementRequest, RequestedVolume } from '../model.js';
import { lacksPlugin } from './plugins.js';

const driversOf = (volumes: readonly RequestedVolume[]): readonly string[] => [...new Set(volumes.map(v => v.driver))];

const missing = ({ volumes = [] }: PlacementRequest, node: NodeView): readonly string[] =>
  driversOf(volumes).filter(driver => lacksPlugin(node, node.volumeDrivers, driver));

export const volumeDriver: Filter = {
  code: 'VOLUME_DRIVER_MISSING',
  isFixed: true,
  applies: request => (request.volumes ?? []).length > 0,
  refuses: byView((request, node) => missing(request, node).length > 0),
  sentence: ({ volumes = [] }) => `The node does not have a volume driver of ${driversOf(volumes).join(', ')}.`,
  remedy: (request, node) => ({
    cost: 5,
    sentence: `install the volume driver ${missing(request, node).join(', ')} on node ${node.name}`,
  }),
};

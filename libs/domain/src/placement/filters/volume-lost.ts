import { type Filter } from './filter.js';

export const volumeLost: Filter = {
  code: 'VOLUME_NODE_LOST',
  isFixed: true,
  applies: ({ volumes = [] }) => volumes.some(volume => volume.lost),
  refuses: () => () => true,
  sentence: ({ volumes = [] }) => {
    const lost = volumes.filter(volume => volume.lost).map(volume => volume.name);
    return `The node that has the volume ${lost.join(', ')} is unreachable or was removed.`;
  },
  remedy: () => ({ cost: 50, sentence: 'bring back the node that has the volume, or forget its data (rebind)' }),
};

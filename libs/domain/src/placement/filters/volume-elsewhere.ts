import { type Filter } from './filter.js';

export const volumeElsewhere: Filter = {
  code: 'VOLUME_ON_OTHER_NODE',
  isFixed: false,
  applies: ({ volumes = [] }) => volumes.some(volume => volume.scope === 'node' && volume.lost !== true),
  refuses: ({ volumes = [] }, { views, contents }) => {
    const local = volumes.filter(volume => volume.scope === 'node' && volume.lost !== true);
    return node => {
      const id = views[node]?.id;
      // a placement of this batch may bind a volume
      return local.some(({ name, nodeId = contents.volumeNode(name) }) => nodeId !== undefined && nodeId !== id);
    };
  },
  sentence: ({ volumes = [] }) => {
    const bound = volumes.filter(volume => volume.scope === 'node' && volume.lost !== true);
    return `Another node has the volume ${bound.map(volume => volume.name).join(' or ')}.`;
  },
  remedy: () => ({ cost: 50, sentence: 'forget the data of the volume on its node (rebind)' }),
};

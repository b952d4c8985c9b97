import { type Filter } from './filter.js';

export const volumeInUse: Filter = {
  code: 'VOLUME_IN_USE',
  isFixed: false,
  applies: ({ volumes = [] }) => volumes.some(volume => volume.exclusive),
  refuses: ({ volumes = [] }, { views, contents }) => {
    const exclusive = volumes.filter(volume => volume.exclusive);
    return node => {
      const id = views[node]?.id;
      return exclusive.some(({ name, attachedTo = [] }) => {
        const user = contents.volumeNode(name);
        return attachedTo.some(other => other !== id) || (user !== undefined && user !== id);
      });
    };
  },
  sentence: ({ volumes = [] }) => {
    const names = volumes.filter(volume => volume.exclusive).map(volume => volume.name);
    return `Another node uses the exclusive volume ${names.join(' or ')}.`;
  },
  remedy: () => ({ cost: 10, sentence: 'remove the containers that use the volume (detach)' }),
};

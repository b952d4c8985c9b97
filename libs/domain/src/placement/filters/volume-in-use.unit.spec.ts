import { node, request } from '../placement.fixture.js';
import { checkFilter } from './filter.fixture.js';
import { volumeInUse } from './volume-in-use.js';

describe('the filter VOLUME_IN_USE', () => {
  checkFilter(volumeInUse, {
    wanted: request({
      volumes: [{ name: 'disk', driver: 'rexray', scope: 'cluster', exclusive: true, attachedTo: ['a'] }],
    }),
    refused: node({ id: 'b' }),
    accepted: node({ id: 'a' }),
    open: request({ volumes: [{ name: 'disk', driver: 'rexray', scope: 'cluster', attachedTo: ['a'] }] }),
    remedy: { cost: 10, sentence: 'remove the containers that use the volume (detach)' },
  });
});

import type { NodeState } from '@stave/domain';
import type { RecordedEvent } from '@stave/platform';
import { RefusedPlugins } from './refused-plugins.js';
import type { ClusterChanges } from './snapshot-changes.js';

const START = Date.parse('2026-01-01T00:00:00Z');
const MINUTE = 60_000;

const failed = (plugin: string | undefined, atMs = START, code = 'plugin-missing'): RecordedEvent =>
  ({ type: 'TaskFailed', data: { code, plugin }, metadata: { time: new Date(atMs).toISOString() } }) as RecordedEvent;

describe('plug-ins that nodes lacked', () => {
  let changed: string[];
  let refused: RefusedPlugins;
  const created = (): RefusedPlugins => {
    const node = { declared: { clusterId: 'c1' } } as NodeState;
    const noted = { node: (id: string) => void changed.push(id) } as ClusterChanges;
    return new RefusedPlugins({ get: () => node }, { in: id => (id === 'c1' ? noted : undefined) });
  };
  beforeEach(() => {
    changed = [];
    refused = created();
  });

  it('are remembered by node and plug-in for ten minutes after the event', () => {
    refused.apply(failed('kuryr'), { nodeId: 'n1' });
    refused.apply(failed('rexray', START + MINUTE), { nodeId: 'n1' });
    refused.expire(START + 10 * MINUTE - 1);
    expect(refused.on('n1')).toEqual(['kuryr', 'rexray']);
    expect(refused.on('n2')).toBeUndefined();
    refused.expire(START + 10 * MINUTE);
    expect(refused.on('n1')).toEqual(['rexray']);
    refused.expire(START + 11 * MINUTE);
    expect(refused.on('n1')).toBeUndefined();
    expect(changed).toEqual(['n1', 'n1', 'n1', 'n1']);
  });

  it('are remembered for longer when they are lacking again', () => {
    refused.apply(failed('kuryr'), { nodeId: 'n1' });
    refused.apply(failed('other'), { nodeId: 'n2' });
    refused.apply(failed('kuryr', START + 9 * MINUTE), { nodeId: 'n1' });
    refused.expire(START + 10 * MINUTE);
    expect([refused.on('n1'), refused.on('n2')]).toEqual([['kuryr'], undefined]);
  });

  it('are not what other failures say, those without the name of a plug-in, and those of containers without a node', () => {
    refused.apply(failed('kuryr', START, 'image-missing'), { nodeId: 'n1' });
    refused.apply(failed(undefined), { nodeId: 'n1' });
    refused.apply(failed('kuryr'), {});
    expect([refused.on('n1'), changed]).toEqual([undefined, []]);
  });

  it('are forgotten with their node', () => {
    refused.apply(failed('kuryr'), { nodeId: 'n1' });
    refused.forget('n1');
    expect(refused.on('n1')).toBeUndefined();
    refused.expire(START + 10 * MINUTE);
    expect(changed).toEqual(['n1']);
  });
});

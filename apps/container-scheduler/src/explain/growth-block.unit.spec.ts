import { nodeGroupStream } from '@stave/domain';
import { growthBlock } from './growth-block.js';
import { cluster, scaledGroup, TIME } from './scaled-group.fixture.js';

const on = { enabled: true, manualHoldSeconds: 300 };
const NOW = Date.parse(TIME);
const refusal = { type: 'ScaleProposalRefused', data: { proposalId: 'p', sequence: 1, code: 'quota' } };
const built = () => ({ wasActive: true, status: 'ACTIVE' }) as never;
const blockOf = (group: ReturnType<typeof scaledGroup>, seconds = 0, isPaused = false) =>
  growthBlock(built, cluster(isPaused), group, NOW + seconds * 1000);

describe('why a node group does not grow', () => {
  it('a group with nothing against it is not blocked, and one whose nodes are being built is', () => {
    expect(blockOf(scaledGroup(['a'], on))).toBeUndefined();
    expect(growthBlock(() => undefined, cluster(), scaledGroup(['a'], on), NOW)).toMatchObject({ code: 'UPCOMING' });
  });

  it('a quota that refused it holds it for a minute', () => {
    const group = scaledGroup(['a'], on, [refusal]);
    expect(blockOf(group, 59)).toMatchObject({ code: 'QUOTA' });
    expect(blockOf(group, 61)).toBeUndefined();
  });

  it('a group whose nodes lacked capacity rests, the longer the more often', () => {
    const lacking = { ...scaledGroup(['a'], on), lacksCapacity: { times: 2, since: TIME } };
    expect(blockOf(lacking, 119)).toMatchObject({ code: 'BACKOFF' });
    expect(blockOf(lacking, 121)).toBeUndefined();
  });

  it('a group that a user resized is held for the autoscaler alone, a paused cluster for everybody', () => {
    const data = { count: 1, operation: { id: 'r', kind: 'node-group.resize', total: 0 } };
    const resized = nodeGroupStream.evolve(scaledGroup(['a'], on), { type: 'NodeGroupResized', data } as never, TIME);
    expect(blockOf(resized, 299)).toMatchObject({ code: 'PAUSED', isOpenToUsers: true });
    expect(blockOf(resized, 301)).toBeUndefined();
    const paused = blockOf(resized, 0, true);
    expect([paused?.code, paused?.isOpenToUsers]).toEqual(['PAUSED', undefined]);
  });
});

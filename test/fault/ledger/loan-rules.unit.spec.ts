import type { HistoryEvent } from '../history.js';
import { checkLoans } from './loan-rules.js';

let position = 0;
const event = (subject: string, fact: string, data: HistoryEvent['data']): HistoryEvent => ({
  type: `stave.${subject.split('/')[0]}.${fact}.v1`,
  subject,
  time: '2026-01-01T00:00:00.000Z',
  position: String((position += 1)),
  data,
});
const node = (id: string): HistoryEvent =>
  event(`node/${id}`, 'taskCompleted', { result: { capacity: { cpus: 1, memoryMb: 100 } } });
const nodes = [node('n1'), node('n2')];
const loan = (containerId: string, nodeId: string, attached?: object, cpus = 0.1, memoryMb = 10): object => ({
  ...{ containerId, nodeId, cpus, memoryMb },
  ...(attached && { attached }),
});
const reserved = (...placements: readonly object[]): HistoryEvent =>
  event('placement/c', 'placementsReserved', { placements });
const released = (...containerIds: readonly string[]): HistoryEvent =>
  event('placement/c', 'placementsReleased', { containerIds });
const change = (fact: string, data: HistoryEvent['data']): HistoryEvent => event('placement/c', fact, data);
const broken = (...events: readonly HistoryEvent[]): readonly string[] =>
  checkLoans([...nodes, ...events]).broken.map(text => text.replace(/^\d+ /, ''));

const port = { ports: [{ containerPort: 80, hostPort: 8080, protocol: 'tcp' }] };
const volume = (exclusive?: true, scope = 'cluster') => ({
  volumes: [{ id: 'v', scope, ...(exclusive && { exclusive }) }],
});
const address = (scope = 'cluster') => ({ network: { id: 'net', scope, address: '10.0.0.9' } });

describe('what a cluster lends, from its events', () => {
  it.each<[string, object, object, string[]]>([
    ['a port on one node', loan('a', 'n1', port), loan('b', 'n1', port), ['b on n1: port 8080/tcp is lent to a on n1']],
    ['a port on two nodes', loan('a', 'n1', port), loan('b', 'n2', port), []],
    [
      'an address',
      loan('a', 'n1', address()),
      loan('b', 'n2', address()),
      ['b on n2: address 10.0.0.9 is lent to a on n1'],
    ],
    ['an address of networks of two nodes', loan('a', 'n1', address('node')), loan('b', 'n2', address('node')), []],
    [
      'an exclusive volume',
      loan('a', 'n1', volume(true)),
      loan('b', 'n2', volume(true)),
      ['b on n2: exclusive volume v is lent to a on n1'],
    ],
    ['an exclusive volume on one node', loan('a', 'n1', volume(true)), loan('b', 'n1', volume(true)), []],
    ['a shared volume', loan('a', 'n1', volume()), loan('b', 'n2', volume()), []],
    [
      'a local volume',
      loan('a', 'n1', volume(undefined, 'node')),
      loan('b', 'n2', volume(undefined, 'node')),
      ['b on n2: volume v is bound to n1'],
    ],
    ['room', loan('a', 'n1', undefined, 0.6), loan('b', 'n1', undefined, 0.5), ['b on n1: 1.1 of 1 CPUs are lent']],
    [
      'memory',
      loan('a', 'n1', undefined, 0.1, 60),
      loan('b', 'n1', undefined, 0.1, 60),
      ['b on n1: 120 of 100 MB are lent'],
    ],
    ['all the room', loan('a', 'n1', undefined, 0.7), loan('b', 'n1', undefined, 0.3), []],
    ['a container', loan('a', 'n1'), loan('a', 'n2'), ['a on n2: it already holds a reservation on n1']],
  ])('finds %s that is lent twice, and only that', (_what, first, second, wrong) => {
    expect(broken(reserved(first), reserved(second))).toEqual(wrong);
    expect(broken(reserved(first, second))).toEqual(wrong);
    const [a = ''] = Object.values(first).map(String);
    const data = { volumeId: 'v' };
    expect(broken(reserved(first), released(a), change('volumeUnbound', data), reserved(second))).toEqual([]);
  });

  it('finds loans on what is closed, until it is opened', () => {
    const closed = change('nodeClosed', { nodeId: 'n1' });
    expect(broken(closed, reserved(loan('a', 'n1')))).toEqual(['a on n1: n1 is closed']);
    expect(broken(closed, change('nodeOpened', { nodeId: 'n1' }), reserved(loan('a', 'n1')))).toEqual([]);
    const gone = change('attachmentClosed', { attachmentId: 'v' });
    expect(broken(gone, reserved(loan('a', 'n1', volume())))).toEqual(['a on n1: v is closed']);
  });

  it('finds a resize beyond the room', () => {
    const both = reserved(loan('a', 'n1', undefined, 0.5), loan('b', 'n1', undefined, 0.5));
    const resized = (cpus: number) => change('resized', { containerId: 'a', cpus, memoryMb: 10 });
    expect(broken(both, resized(0.6))).toEqual(['a on n1: 1.1 of 1 CPUs are lent']);
    expect(broken(both, resized(0.4))).toEqual([]);
  });

  it('a volume that was detached by force may go elsewhere, and its container keeps the rest', () => {
    const detached = change('volumeDetached', { volumeId: 'v', containerIds: ['a'] });
    const held = reserved(loan('a', 'n1', { ...volume(true), ...port }));
    expect(broken(held, detached, reserved(loan('b', 'n2', volume(true))))).toEqual([]);
    expect(broken(held, detached, reserved(loan('b', 'n1', port)))).toEqual([
      'b on n1: port 8080/tcp is lent to a on n1',
    ]);
  });

  it('counts what was reserved, and shows who holds a reservation in the end', () => {
    const report = checkLoans([
      ...nodes,
      reserved(loan('a', 'n1', port), loan('b', 'n2', volume(true))),
      released('a'),
    ]);
    expect(report.reserved).toEqual({ containers: 2, ports: 1, addresses: 0, exclusiveVolumes: 1 });
    expect([...report.held]).toEqual([['b', 'n2']]);
  });
});

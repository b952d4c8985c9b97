import type { RecordedEvent } from '../event-store/event-store.port.js';
import { cloudEventType } from './cloud-event.js';
import { isShown, publishedMessage, publishedSubject } from './published-message.js';

const event = (changes: Partial<RecordedEvent> = {}): RecordedEvent => ({
  id: 'e1',
  type: 'NodeGroupCreated',
  data: { name: 'gpu' },
  metadata: { schemaVersion: 1, time: '2026-01-01T00:00:00.000Z', correlationId: 'c', project: 'p', clusterId: 'k' },
  stream: 'nodeGroup-g1',
  revision: 0,
  position: 7,
  ...changes,
});

describe('published message of an event', () => {
  it.each([
    ['nodeGroup', 'NodeGroupCreated', 'stave.nodeGroup.created.v1'],
    ['nodeGroup', 'NodesAdded', 'stave.nodeGroup.nodesAdded.v1'],
    ['node', 'NodeGroupCreated', 'stave.node.groupCreated.v1'],
    ['placement', 'PlacementsReserved', 'stave.placement.placementsReserved.v1'],
    ['placement', 'PlacementNodeClosed', 'stave.placement.nodeClosed.v1'],
    ['x', 'X', 'stave.x.x.v1'],
  ])('in a stream of the category %s, the event %s is published with the type %s', (category, type, name) => {
    expect(cloudEventType(category, type, 1)).toBe(name);
  });

  it.each([
    [{}, 'stave.evt.p.nodeGroup.g1.NodeGroupCreated'],
    [{ stream: 'conductorRing', type: 'ConductorLeft' }, 'stave.evt.p.conductorRing.-.ConductorLeft'],
    [{ stream: 'orphan-a.b c>*', type: 'OrphanRemoved' }, 'stave.evt.p.orphan.a_b_c__.OrphanRemoved'],
    [{ metadata: { schemaVersion: 1, time: '', correlationId: '' } }, 'stave.evt.-.nodeGroup.g1.NodeGroupCreated'],
  ])('a published message has a subject of six tokens (%#)', (changes, subject) => {
    expect(publishedSubject(event(changes))).toBe(subject);
    expect(subject.split('.')).toHaveLength(6);
  });

  it('a published message contains the event id and the CloudEvent envelope', () => {
    const { id, text } = publishedMessage(event(), '/stave/i', 3);
    expect(id).toBe('e1');
    expect(JSON.parse(text)).toMatchObject({ id: 'e1', source: '/stave/i', subject: 'nodeGroup/g1', position: '7' });
  });

  it('internal events and events of system streams are not published', () => {
    expect(['name-a', 'idempotency-a', 'apiKey-a', 'installation', '$stats', 'secret-a'].filter(isShown)).toEqual([]);
    expect(['node-a', 'conductorRing', 'placement-a'].every(isShown)).toBe(true);
  });
});

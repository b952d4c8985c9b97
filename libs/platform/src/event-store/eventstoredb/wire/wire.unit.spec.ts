import { randomUUID } from 'node:crypto';
import { StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb.js';
import { BatchAppendReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { ExpectedRevision, NewEvent } from '../../event-store.port.js';
import { StreamNames } from '../stream-names.js';
import { batchAppendRequest } from './batch-append-request.js';
import { FieldReader } from './field-reader.js';
import { FieldWriter } from './field-writer.js';
import { ReadResponses } from './read-response.js';
import { sentEvents } from './sent-events.js';

const metadata = { schemaVersion: 1, time: '2026-11-27T07:00:00.000Z', correlationId: 'c' };
const texts = ['', 'a', 'ü€😀'.repeat(9), 'x'.repeat(300), 'y'.repeat(70_000)];
const numbers = [0, 1, 127, 128, 16_383, 16_384, 2 ** 31, 2 ** 32 + 5, Number.MAX_SAFE_INTEGER];

const eventOf = (text: string): NewEvent => ({
  id: randomUUID(),
  type: `T${text.slice(0, 40)}`,
  data: { text },
  metadata,
});

function recorded(
  event: NewEvent,
  stream: string,
  revision: number,
  position: number,
): ReadResp.ReadEvent.RecordedEvent {
  const made = new ReadResp.ReadEvent.RecordedEvent()
    .setId(new UUID().setString(event.id))
    .setStreamIdentifier(new StreamIdentifier().setStreamName(Buffer.from(stream)))
    .setStreamRevision(String(revision))
    .setPreparePosition(String(position))
    .setCommitPosition(String(position))
    .setCustomMetadata(Buffer.from(JSON.stringify(event.metadata)))
    .setData(Buffer.from(JSON.stringify(event.data)));
  made.getMetadataMap().set('created', '17').set('type', event.type).set('content-type', 'application/json');
  return made;
}

const bytesOf = (response: ReadResp): Buffer => Buffer.from(response.serializeBinary());

function entry(event: ReadResp.ReadEvent.RecordedEvent | undefined, position = '9'): Buffer {
  return bytesOf(new ReadResp().setEvent(new ReadResp.ReadEvent().setEvent(event).setCommitPosition(position)));
}

describe('messages of EventStoreDB, encoded and decoded without its generated classes', () => {
  it.each<ExpectedRevision>(['any', 'no_stream', ...numbers])(
    'writes an append that expects %s as the generated classes read it',
    expected => {
      const events = texts.map(eventOf);
      const stream = 'wörld-1';
      const id = randomUUID();
      const bytes = batchAppendRequest(id, stream, sentEvents(stream, events), expected);
      const read = BatchAppendReq.deserializeBinary(new Uint8Array(bytes));
      const options = read.getOptions();
      expect(read.getCorrelationId()?.getString()).toBe(id);
      expect(read.getIsFinal()).toBe(true);
      expect(Buffer.from(options?.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString()).toBe(stream);
      expect([options?.hasAny(), options?.hasNoStream(), options?.hasStreamPosition()]).toEqual([
        expected === 'any',
        expected === 'no_stream',
        typeof expected === 'number',
      ]);
      if (typeof expected === 'number') expect(options?.getStreamPosition()).toBe(String(expected));
      const proposed = read.getProposedMessagesList().map(message => ({
        id: message.getId()?.getString(),
        type: message.getMetadataMap().get('type'),
        contentType: message.getMetadataMap().get('content-type'),
        data: JSON.parse(Buffer.from(message.getData_asU8()).toString()),
        metadata: JSON.parse(Buffer.from(message.getCustomMetadata_asU8()).toString()),
      }));
      expect(proposed).toEqual(events.map(event => ({ ...event, contentType: 'application/json' })));
    },
  );

  it('reads events as the generated classes write them', () => {
    const responses = new ReadResponses(new StreamNames('p'));
    for (const [i, text] of texts.entries())
      for (const position of numbers) {
        const event = eventOf(text);
        const decoded = responses.decode(entry(recorded(event, 'pnode-ü', i * position, position)));
        const expected = { ...event, stream: 'node-ü', revision: i * position, position };
        expect(decoded).toEqual({ kind: 'entry', position, event: expected });
      }
  });

  it('gives two subscriptions the same object, and never that of another event at the same position', () => {
    const responses = new ReadResponses(new StreamNames());
    const event = eventOf('a');
    const read = (of: NewEvent, stream = 'a-1') => responses.decode(entry(recorded(of, stream, 0, 5)));
    const [first, again, other] = [read(event), read(event), read(eventOf('b'))];
    expect(first).toMatchObject({ event: { data: { text: 'a' } } });
    expect('event' in again && 'event' in first && again.event === first.event).toBe(true);
    expect(other).toMatchObject({ event: { data: { text: 'b' } } });
    expect(read(event, 'b-1')).toMatchObject({ event: { stream: 'b-1' } });
  });

  it('leaves out events of the server and of other installations, and passes on what is not JSON as text', () => {
    const responses = new ReadResponses(new StreamNames('p'));
    const event = eventOf('a');
    expect(responses.decode(entry(recorded(event, 'q-1', 0, 5)))).toEqual({ kind: 'entry', position: 5 });
    expect(responses.decode(entry(recorded({ ...event, type: '$>' }, 'p-1', 0, 5)))).toEqual({
      kind: 'entry',
      position: 5,
    });
    expect(responses.decode(entry(undefined))).toEqual({ kind: 'entry', position: 9 });
    const foreign = recorded(event, 'p-1', 0, 6).setData(Buffer.from('no JSON')).setCustomMetadata(new Uint8Array());
    expect(responses.decode(entry(foreign))).toMatchObject({ event: { data: 'no JSON', metadata: {} } });
  });

  it('reports checkpoints and that a subscription is live, and ignores the rest', () => {
    const responses = new ReadResponses(new StreamNames());
    const decoded = [
      new ReadResp().setCheckpoint(new ReadResp.Checkpoint().setCommitPosition('70').setPreparePosition('70')),
      new ReadResp().setCaughtUp(new ReadResp.CaughtUp()),
      new ReadResp().setConfirmation(new ReadResp.SubscriptionConfirmation().setSubscriptionId('s')),
      new ReadResp().setStreamNotFound(new ReadResp.StreamNotFound()),
      new ReadResp().setFirstStreamPosition('3'),
    ].map(response => responses.decode(bytesOf(response)));
    const other = { kind: 'other' };
    expect(decoded).toEqual([{ kind: 'position', position: 70 }, { kind: 'caught-up' }, other, other, other]);
  });

  it('skips fields of newer servers, and refuses bytes that are no message', () => {
    const to = new FieldWriter(200);
    to.message(8, () => undefined);
    to.text(99, 'newer');
    to.number(98, 2 ** 40);
    const fields = to.finish();
    expect(new ReadResponses(new StreamNames()).decode(fields)).toEqual({ kind: 'caught-up' });
    const reader = new FieldReader(fields);
    expect([reader.next(), reader.field, reader.number(), reader.next(), reader.text()]).toEqual([
      true,
      98,
      2 ** 40,
      true,
      'newer',
    ]);
    expect(() => new ReadResponses(new StreamNames()).decode(Buffer.from([10, 200, 1]))).toThrow(RangeError);
    expect(() => new ReadResponses(new StreamNames()).decode(Buffer.from([255]))).toThrow(RangeError);
    expect(() => new ReadResponses(new StreamNames()).decode(Buffer.from([15, 1]))).toThrow(TypeError);
    expect(() => new FieldWriter(3).text(1, 'four')).toThrow(RangeError);
  });

  it('refuses what the embedded store refuses', () => {
    const event = eventOf('a');
    const big = { ...eventOf('b'), data: { text: 'z'.repeat(1_048_576) } };
    expect(() => sentEvents('a-1', [])).toThrow(RangeError);
    expect(() => sentEvents('a-1', [event, event])).toThrow('two events with the same id');
    expect(() => sentEvents('a-1', [{ ...event, id: 'none' }])).toThrow('not a UUID');
    expect(() => sentEvents('a-1', [big])).toThrow('the limit is 1048576');
  });
});

import { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { RecordedEvent } from '@stave/platform';
import { EventResponses } from './read.response.js';

const id = '0b8e16a8-5c3a-4b5d-9f0e-8a4f5a1c2d3e';
const event = (position: number, text = 'ü€😀'): RecordedEvent => ({
  id,
  type: 'NodeCreated',
  data: { text },
  metadata: { schemaVersion: 1, time: '2026-11-27T07:00:00.000Z', correlationId: 'c' },
  stream: 'node-ä',
  revision: position + 1,
  position,
});

const decoded = (bytes: Buffer) => ReadResp.deserializeBinary(new Uint8Array(bytes)).getEvent();

describe('encoded events', () => {
  it.each([0, 127, 128, 2 ** 40, Number.MAX_SAFE_INTEGER - 1])(
    'has what the generated classes read at %d',
    position => {
      const response = decoded(new EventResponses().encoded(event(position, 'x'.repeat(position % 7)), false));
      const recorded = response?.getEvent();
      const text = (bytes: Uint8Array = new Uint8Array()) => Buffer.from(bytes).toString();
      expect(response?.getCommitPosition()).toBe(String(position));
      expect(recorded?.getId()?.getString()).toBe(id);
      expect(text(recorded?.getStreamIdentifier()?.getStreamName_asU8())).toBe('node-ä');
      expect([recorded?.getStreamRevision(), recorded?.getPreparePosition(), recorded?.getCommitPosition()]).toEqual(
        [position + 1, position, position].map(String),
      );
      expect(Object.fromEntries(recorded?.getMetadataMap().entries() ?? [])).toEqual({
        type: 'NodeCreated',
        'content-type': 'application/json',
        created: String(BigInt(Date.parse('2026-11-27T07:00:00.000Z')) * 10_000n),
      });
      expect(JSON.parse(text(recorded?.getData_asU8()))).toEqual({ text: 'x'.repeat(position % 7) });
      expect(JSON.parse(text(recorded?.getCustomMetadata_asU8()))).toEqual(event(0).metadata);
    },
  );

  it('writes the bits of an id for who asks for them, and encodes an event once for all others', () => {
    const responses = new EventResponses();
    const one = event(5);
    const bits = decoded(responses.encoded(one, true))?.getEvent()?.getId()?.getStructured();
    expect(BigInt.asUintN(64, BigInt(bits?.getMostSignificantBits() ?? 0)).toString(16)).toBe('b8e16a85c3a4b5d');
    expect(BigInt.asUintN(64, BigInt(bits?.getLeastSignificantBits() ?? 0)).toString(16)).toBe('9f0e8a4f5a1c2d3e');
    expect(responses.encoded(one, false)).toBe(responses.encoded(one, false));
    expect(responses.encoded({ ...one }, false)).not.toBe(responses.encoded(one, false));
  });
});

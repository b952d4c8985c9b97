import fc from 'fast-check';
import { EventLines, type EventBlock } from './event-lines.js';

const blocksOf = (pieces: readonly string[]): EventBlock[] => {
  const lines = new EventLines();
  return pieces.flatMap(piece => lines.take(piece));
};

const line = fc.string({ unit: fc.constantFrom('a', ':', ' ', '"', 'ü') });
const block = fc.record(
  { id: fc.nat().map(String), data: fc.array(line, { minLength: 1 }), comment: line },
  { requiredKeys: ['data'] },
);

it('blocks are the same however the stream is cut into pieces, and with either end of line', () => {
  fc.assert(
    fc.property(fc.array(block), fc.array(fc.nat({ max: 400 })), fc.constantFrom('\n', '\r\n'), (blocks, cuts, end) => {
      const text = blocks
        .map(({ id, data, comment }) =>
          [
            ...(comment === undefined ? [] : [`: ${comment}`]),
            ...(id === undefined ? [] : [`id: ${id}`]),
            ...data.map(value => `data: ${value}`),
            '',
            '',
          ].join(end),
        )
        .join('');
      const ends = [...new Set(cuts.filter(at => at < text.length)), text.length].sort((a, b) => a - b);
      const pieces = ends.map((at, index) => text.slice(ends[index - 1] ?? 0, at));
      const expected = blocks.map(({ id, data }) => ({ ...(id === undefined ? {} : { id }), data: data.join('\n') }));
      expect(blocksOf(pieces)).toEqual(expected);
    }),
  );
});

it('a block that is not complete is not an event, and unknown fields and comments are ignored', () => {
  expect(blocksOf(['data: a\n', 'event: x\nretry: 30\nretry: soon\n\n', ': beat\n\ndata: b\n'])).toEqual([
    { data: 'a', retry: 30 },
    {},
  ]);
});

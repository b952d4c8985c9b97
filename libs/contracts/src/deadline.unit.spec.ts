import { deadlineAt } from './deadline.js';

const NOW = Date.parse('2026-01-01T00:00:00Z');

describe('deadlineAt', () => {
  it.each([
    ['30s', '2026-01-01T00:00:30.000Z'],
    ['500ms', '2026-01-01T00:00:00.500Z'],
    ['10m', '2026-01-01T00:10:00.000Z'],
    ['2h', '2026-01-01T02:00:00.000Z'],
    ['2030-01-01T00:00:00Z', '2030-01-01T00:00:00.000Z'],
    ['2030-01-01T02:00:00+02:00', '2030-01-01T00:00:00.000Z'],
  ])('resolves %s', (given, expected) => {
    expect(deadlineAt(given, NOW)).toBe(expected);
  });

  it.each(['refuses %p as a deadline', '30', 'soon', '-5s', '2030-13-01T00:00:00Z', '2030', 'Jan 1 2030'])(
    'refuses %p',
    given => {
      expect(() => deadlineAt(given, NOW)).toThrow('/deadline');
    },
  );
});

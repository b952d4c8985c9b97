import { paintStatus } from './color.js';
import { tableLines, widthOf } from './table.js';
import { cell, inline, printable } from './values.js';

const names = { now: Date.parse('2026-01-01T12:00:00Z'), nameOf: (id: string) => (id === 'c1' ? 'shop' : id) };

describe('tables', () => {
  const rows = [
    ['NAME', 'STATUS', 'WHY'],
    ['shop', 'ACTIVE', '–'],
    ['a-longer-name', 'FAILED', 'the image of three nodes is missing in the registry'],
  ];

  it('columns are aligned, and lines have no space at their end', () => {
    expect(tableLines(rows)).toEqual([
      'NAME           STATUS  WHY',
      'shop           ACTIVE  –',
      'a-longer-name  FAILED  the image of three nodes is missing in the registry',
    ]);
  });

  it.each([80, 60, 40])('no line is wider than %d, and the first column is complete', width => {
    const lines = tableLines(rows, width);
    expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(width);
    expect(lines[2]).toMatch(/^a-longer-name /);
    if (width < 80) expect(lines[2]).toMatch(/…$/);
  });

  it('wide characters count as two', () => {
    expect(widthOf('日本')).toBe(4);
    expect(
      tableLines([
        ['日本', 'x'],
        ['abcd', 'y'],
      ]),
    ).toEqual(['日本  x', 'abcd  y']);
  });

  it('colours change no width', () => {
    const painted = tableLines(
      [
        ['a', 'ACTIVE', 'b'],
        ['a', 'x', 'b'],
      ],
      undefined,
      paintStatus,
    );
    expect(painted[0]).toBe('a  \u001b[32mACTIVE\u001b[0m  b');
    expect(painted[1]).toBe('a  x       b');
  });
});

describe('values', () => {
  it('control characters of a resource cannot command the terminal', () => {
    expect(printable('a\u001b[2Jb\n')).toBe('a\\x1b[2Jb\\x0a');
    expect(inline({ 'k\u0007': ['\u009b'] })).toBe('k\\x07=\\x9b');
  });

  it.each([
    [{ updatedAt: '2026-01-01T11:59:57Z' }, 'updatedAt', '3s'],
    [{ updatedAt: '2026-01-01T09:00:00Z' }, 'updatedAt', '3h'],
    [{ expiresAt: '2026-01-08T12:00:00Z' }, 'expiresAt', 'in 7d'],
    [{ expiresAt: null }, 'expiresAt', '–'],
    [{ flavor: { cpus: 2, memoryMb: 4096 } }, 'flavor', '2 CPU / 4096 MB'],
    [{ flavor: { name: 'm1.small' } }, 'flavor', 'm1.small'],
    [{ clusterId: 'c1' }, 'cluster', 'shop'],
    [{ nodeCounts: { ready: 2, total: 3 } }, 'nodes', '2/3'],
    [{ zones: [{ name: 'a' }, { name: 'b', region: 'eu' }] }, 'zones', 'a,b@eu'],
    [{ network: { driver: 'overlay' } }, 'network.driver', 'overlay'],
    [{ statusReason: { code: 'x', detail: 'no image' } }, 'why', 'no image'],
    [{}, 'anything', '–'],
  ])('%j in column %s is shown as %s', (document, column, text) => {
    expect(cell(document, column, names)).toBe(text);
  });
});

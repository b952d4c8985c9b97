import { UsageError } from '../exit-codes.js';
import { fakeTerminal } from '../terminal.fixture.js';
import { bodyOf, valueOf } from './body.js';
import { durationMs, timeOf } from './duration.js';

const terminal = fakeTerminal({ input: 'name: shop\nlabels: { env: prod }\n' });

it('members are set in the body of the file, at any depth, and removed by null', async () => {
  const set = ['flavor.cpus=6', 'nodeGroups.0.role=worker', 'labels.a\\.b=c', 'zones=["a","b"]', 'text="5"'];
  expect(await bodyOf(terminal, { file: '-', set, unset: ['labels.env'] })).toEqual({
    name: 'shop',
    labels: { env: null, 'a.b': 'c' },
    flavor: { cpus: 6 },
    nodeGroups: [{ role: 'worker' }],
    zones: ['a', 'b'],
    text: '5',
  });
});

it('without flags there is no body', async () => {
  expect(await bodyOf(terminal, {})).toBeUndefined();
});

it.each([[['cpus']], [['=5']], [['a..b=5']], [['__proto__.polluted=1']]])('--set %j is refused', async set => {
  await expect(bodyOf(terminal, { set })).rejects.toThrow(UsageError);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

it('an error in a file names the line and shows nothing of the text', async () => {
  const secret = fakeTerminal({ input: 'a: 1\ntoken: "hunter2\nb: [' });
  const error = await bodyOf(secret, { file: '-' }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(UsageError);
  expect(String(error)).toMatch(/line/);
  expect(String(error)).not.toMatch(/hunter2/);
});

it.each([
  ['5', 5],
  ['true', true],
  ['null', null],
  ['{"a":1}', { a: 1 }],
  ['nginx:1', 'nginx:1'],
  ['"5"', '5'],
])('the value %s is read as %j', (text, value) => {
  expect(valueOf(text)).toEqual(value);
});

it.each([
  ['500ms', 500],
  ['30s', 30_000],
  ['30', 30_000],
  ['1.5m', 90_000],
  ['2h', 7_200_000],
])('the duration %s has %d milliseconds', (text, milliseconds) => {
  expect(durationMs(text)).toBe(milliseconds);
});

it('a time can be so long ago; another text is left to the API', () => {
  const now = Date.parse('2026-01-01T12:00:00Z');
  expect(timeOf('2h', now)).toBe('2026-01-01T10:00:00.000Z');
  expect(timeOf('7', now)).toBe('7');
  expect(timeOf('start', now)).toBe('start');
  expect(() => durationMs('soon')).toThrow(UsageError);
});

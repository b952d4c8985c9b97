import { LONGEST_LINE } from './bounded-line.js';
import { toggleDetailedLogs } from './log-levels.js';
import { createLogger } from './logger.js';

describe('the lines of a log', () => {
  const lines: string[] = [];
  const log = createLogger('x', 'info', { write: line => void lines.push(line) });
  beforeEach(() => void lines.splice(0));

  /** Returns the only line; fails where it is more than one line, or no JSON. */
  function line(): Readonly<Record<string, unknown>> {
    expect(lines).toHaveLength(1);
    const [text = ''] = lines;
    expect(text.length).toBeLessThanOrEqual(LONGEST_LINE + 1);
    expect(text.trimEnd()).not.toMatch(/[\n\r\u0000-\u001f]/);
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  }

  it('are written as they are up to the longest line', () => {
    log.info({ path: '/v1/clusters' }, 'request failed');
    expect(line()).toMatchObject({ service: 'x', path: '/v1/clusters', msg: 'request failed' });
  });

  it.each(['a line\nof its own', 'a\r\nb', '\u0000\u001b[2J'])('are not broken by the text %j of a client', text => {
    log.error({ instance: text, err: new Error(text) }, text);
    expect(line()).toMatchObject({ instance: text, msg: text });
  });

  it('have shortened texts where they would be longer', () => {
    log.error({ err: new Error('e'.repeat(100_000)), instance: '/'.repeat(16_000) }, 'request failed');
    expect(line()).toMatchObject({
      msg: 'request failed',
      instance: expect.stringMatching(/^\/{1024}… \(16000 characters\)$/),
      err: { message: expect.stringContaining('(100000 characters)') },
    });
  });

  it('become more while details are asked for, also those of a child, and of a logger that is made meanwhile', () => {
    const child = log.child({ of: 'child' });
    log.debug('before');
    expect(toggleDetailedLogs()).toBe(true);
    const later = createLogger('y', 'warn', { write: text => void lines.push(text) });
    log.debug('one');
    child.debug('two');
    child.child({}).debug('three');
    later.debug('four');
    expect(toggleDetailedLogs()).toBe(false);
    for (const each of [log, child, later]) each.debug('after');
    expect(lines.map(text => (JSON.parse(text) as { readonly msg: string }).msg)).toEqual([
      'one',
      'two',
      'three',
      'four',
    ]);
    expect([log.level, child.level, later.level]).toEqual(['info', 'info', 'warn']);
  });

  it('have no fields but the common ones where there are too many', () => {
    log.warn({ errors: Array.from({ length: 10_000 }, (_, i) => ({ pointer: `/x${i}` })) }, 'm'.repeat(5_000));
    expect(line()).toEqual({
      level: 40,
      time: expect.any(Number),
      service: 'x',
      msg: expect.stringMatching(/^m{1024}… /),
      cutFrom: expect.any(Number),
    });
  });
});

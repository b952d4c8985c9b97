import { spawnSync } from 'node:child_process';
import { KnownSecrets } from './known-secrets.js';

const token = 'SWMTKN-1-"quoted"\nand-more';

describe('known secrets', () => {
  it('removes known secrets from texts and JSON in every escaped form', () => {
    const known = new KnownSecrets();
    known.learn(token);
    expect(known.cutText(`join ${token} now, ${token}`)).toBe('join [secret] now, [secret]');
    expect(known.cutJson({ deep: [{ [token]: `x${token}` }], other: 1 })).toEqual({
      deep: [{ '[secret]': 'x[secret]' }],
      other: 1,
    });
  });

  it('leaves texts without secrets unchanged, and ignores values that are too short', () => {
    const known = new KnownSecrets();
    known.learn('short');
    const value = { a: 'short and long' };
    expect(known.cutJson(value)).toBe(value);
    expect(known.cutJson(undefined)).toBeUndefined();
  });

  it('drops the oldest known secrets before they fill the memory', () => {
    const known = new KnownSecrets();
    for (let n = 0; n < 12_000; n++) known.learn(`secret-number-${n}`);
    expect(known.cutText('secret-number-11999.')).toBe('[secret].');
    expect(known.cutText('secret-number-1.')).toBe('secret-number-1.');
  });

  it('removes known secrets from every part of a log line', () => {
    const lines = logged(`
      const { createLogger, knownSecrets } = require(${JSON.stringify(platform)});
      const token = ${JSON.stringify(token)};
      knownSecrets.learn(token);
      const log = createLogger('x', 'info').child({ bound: token });
      log.info({ deep: { list: [token] } }, 'with ' + token);
      log.error({ err: new Error('failed with ' + token, { cause: new Error(token) }) }, 'x');
    `);
    expect(lines).toContain('[secret]');
    expect(lines.split('\n').filter(line => line !== '')).toHaveLength(2);
    expect(lines).not.toContain('SWMTKN');
  });
});

const platform = require.resolve('@stave/platform/package.json').replace('package.json', 'dist/index.js');

/** Returns what a separate process writes to standard error. */
function logged(script: string): string {
  return spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' }).stderr;
}

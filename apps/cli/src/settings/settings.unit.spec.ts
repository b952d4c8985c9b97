import { mkdtempSync, rmSync, statSync, writeFileSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../exit-codes.js';
import { fakeTerminal } from '../terminal.fixture.js';
import { connectionOf } from './connection.js';
import { Profiles } from './profiles.js';

let home: string;
beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'stave-cli-'))));
afterEach(() => rmSync(home, { recursive: true }));
const terminal = (env: Record<string, string> = {}) => ({
  ...fakeTerminal({ env: { HOME: home, ...env } }),
  cwd: home,
});

it('a profile is stored in a file that only its owner can read', () => {
  const profiles = new Profiles({ HOME: home });
  profiles.save('prod', { url: 'https://stave.example.org', token: 'stv_x' });
  expect(statSync(profiles.path).mode & 0o777).toBe(0o600);
  expect(connectionOf(terminal(), {})).toEqual({
    url: 'https://stave.example.org',
    token: 'stv_x',
    project: undefined,
  });
});

it('a broken file of profiles is named, and its text is not shown', () => {
  const profiles = new Profiles({ HOME: home });
  profiles.save('prod', {});
  writeFileSync(profiles.path, '{"token": "stv_secret');
  expect(() => profiles.get()).toThrow(UsageError);
  expect(() => profiles.get()).not.toThrow(/stv_secret/);
});

it('the environment wins over the profile, and flags win over both', () => {
  new Profiles({ HOME: home }).save('prod', { url: 'https://a.example', token: 't1', project: 'p1' });
  const env = { STAVE_URL: 'https://b.example', STAVE_TOKEN: 't2', STAVE_PROJECT: 'p2' };
  expect(connectionOf(terminal(env), {})).toEqual({ url: 'https://b.example', token: 't2', project: 'p2' });
  expect(connectionOf(terminal(env), { project: 'p3' }).project).toBe('p3');
});

it('the token of a profile is sent to the address of this profile only', () => {
  new Profiles({ HOME: home }).save('prod', { url: 'https://a.example', token: 't1' });
  expect(connectionOf(terminal({ STAVE_URL: 'https://evil.example' }), {}).token).toBeUndefined();
});

it('the key of a product on this machine is used for this machine only', () => {
  mkdirSync(join(home, 'data'));
  writeFileSync(join(home, 'data', 'admin.key'), 'stv_local\n');
  expect(connectionOf(terminal(), {})).toMatchObject({ url: 'http://127.0.0.1:8080', token: 'stv_local' });
  expect(connectionOf(terminal({ STAVE_URL: 'https://b.example' }), {}).token).toBeUndefined();
});

it('a profile that does not exist and an address that is none are refused', () => {
  expect(() => connectionOf(terminal(), { profile: 'nope' })).toThrow(UsageError);
  expect(() => connectionOf(terminal({ STAVE_URL: 'nonsense' }), {})).toThrow(UsageError);
});

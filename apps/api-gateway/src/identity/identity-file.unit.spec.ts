import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gatewayConfig } from '../gateway.config.js';

let directory: string;
beforeAll(() => void (directory = mkdtempSync(join(tmpdir(), 'stave-identity-'))));
afterAll(() => rmSync(directory, { recursive: true }));

function written(content: unknown): string {
  const file = join(directory, 'identity.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

const configured = (content: unknown): ReturnType<typeof gatewayConfig> =>
  gatewayConfig({ IDENTITY_FILE: written(content) });

function problemOf(content: unknown): string {
  try {
    configured(content);
  } catch (error) {
    return String(error);
  }
  throw new Error('the file was accepted');
}

const rule = { claim: 'groups', value: 'dev', role: 'member', project: 'shop' };
const issuer = { issuer: 'https://id.example/realms/a', audiences: ['stave'], rules: [rule] };

it('a complete file is the setting, and without one no token is accepted', () => {
  const operator = { claim: 'groups', value: 'ops', role: 'operator' };
  const content = { issuers: [{ ...issuer, rules: [rule, operator] }] };
  expect(configured(content).identity).toEqual(content);
  expect(gatewayConfig({}).identity).toEqual({ issuers: [] });
});

it('every mistake is named by its place, and no value is shown', () => {
  const text = problemOf({
    issuers: [
      { ...issuer, issuer: 'ftp://secret-host', audiences: [] },
      { ...issuer, rules: [{ ...rule, role: 'chief-secret' }, { claim: 'x' }], web: { clientSecret: 's-3-c' } },
    ],
    kingdom: 'secret-realm',
  });
  for (const pointer of [
    '/kingdom',
    '/issuers/0/issuer',
    '/issuers/0/audiences',
    '/issuers/1/web',
    '/issuers/1/rules/0/role',
    '/issuers/1/rules/1/value',
    '/issuers/1/rules/1/role',
  ])
    expect(text).toContain(pointer);
  expect(text).toContain('IDENTITY_FILE');
  for (const value of ['secret-host', 'chief-secret', 's-3-c', 'secret-realm']) expect(text).not.toContain(value);
});

it('roles and projects must go together, and an issuer is in the file once', () => {
  const { project: _project, ...withoutProject } = rule;
  const text = problemOf({
    issuers: [
      { ...issuer, rules: [withoutProject, { ...rule, role: 'operator' }] },
      issuer,
      { ...issuer, issuer: 'https://user:hidden@id.example' },
      { ...issuer, issuer: 'https://id.example/?tenant=hidden' },
    ],
  });
  expect(text).toContain('/issuers/0/rules/0/project is required');
  expect(text).toContain('/issuers/0/rules/1/project must be absent');
  expect(text).toContain('/issuers/1/issuer is in the file twice');
  for (const i of [2, 3]) expect(text).toContain(`/issuers/${i}/issuer must be an https or http URL`);
  expect(text).not.toContain('hidden');
});

it('a file that is absent or no JSON is refused', () => {
  expect(problemOf('{ "issuers": secret')).toContain('IDENTITY_FILE names a file with mistakes: the file is not JSON');
  expect(() => gatewayConfig({ IDENTITY_FILE: join(directory, 'absent') })).toThrow(
    'IDENTITY_FILE names a file with mistakes: the file cannot be read (ENOENT)',
  );
});

it('the files in the guide are accepted', () => {
  const guide = readFileSync(join(__dirname, '../../../../docs/operate/sign-in.md'), 'utf8');
  const secret = join(directory, 'client-secret');
  writeFileSync(secret, 'the secret of a client, which is long enough');
  const [people, keystone, web] = [...guide.matchAll(/```json\n([\s\S]*?)```/g)].map(([, example = '']) => {
    const placed = example.replace('/run/secrets/stave-web', secret);
    return gatewayConfig({ IDENTITY_FILE: written(placed), PUBLIC_URL: 'https://stave.example.com' }).identity;
  });
  expect(people?.issuers[0]?.rules).toHaveLength(4);
  expect(keystone?.keystone?.projects).toEqual({ '0c4e939acacf4376bdcd1129f1a054ad': 'shop' });
  expect(web?.issuers[0]).toMatchObject({ web: { clientId: 'stave-web' }, cli: { clientId: 'stave-cli' } });
});

it('a Keystone has an URL and names projects', () => {
  const content = { issuers: [], keystone: { url: 'https://keystone.example:5000/v3', projects: { abc: 'shop' } } };
  expect(configured(content).identity).toEqual(content);
  const text = problemOf({ issuers: [], keystone: { url: 'ftp://hidden', projects: { abc: 'not a name' }, x: 1 } });
  for (const pointer of ['/keystone/url', '/keystone/projects/abc', '/keystone/x']) expect(text).toContain(pointer);
  expect(text).not.toContain('hidden');
});

import { rolesOf } from '../identity/token-roles.js';
import { claimsForRules, sessionIn, sessionText, type Session } from './session.js';

const rules = [
  { claim: 'groups', value: 'ops', role: 'operator' },
  { claim: 'groups', value: 'shop', role: 'member', project: 'shop' },
  { claim: 'level', value: 3, role: 'reader', project: 'books' },
  { claim: 'constructor', value: 'x', role: 'operator' },
] as const;

it('keeps the values of claims that rules fit, which give the same roles', () => {
  const claims = { groups: ['shop', 'cooks', 'shop'], level: 3, sub: 'dora', other: 'long' };
  const kept = claimsForRules(rules, claims);
  expect(kept).toEqual({ groups: ['shop'], level: [3] });
  expect(rolesOf(rules, kept)).toEqual(rolesOf(rules, claims));
  expect(claimsForRules(rules, {})).toEqual({});
});

it('a session is the same after it was written and read, and other texts are none', () => {
  const session: Session = {
    ...{ issuer: 'https://id.example', subject: 'dora', name: 'Dora', claims: { groups: ['shop'] } },
    ...{ sinceMs: 1, expiresAtMs: 2, refreshToken: 'r' },
  };
  const { refreshToken: _refreshToken, ...short } = session;
  for (const one of [session, short]) expect(sessionIn(sessionText(one))).toEqual(one);
  for (const text of ['{}', 'null', '[]', '{"i":"a","s":"b","n":"c"}', '{"i":1,"s":"b","n":"c","a":1,"e":2,"c":{}}'])
    expect(sessionIn(text)).toBeUndefined();
});

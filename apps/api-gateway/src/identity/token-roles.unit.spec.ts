import type { RoleRule } from './identity-settings.js';
import { rolesOf } from './token-roles.js';

const rules: readonly RoleRule[] = [
  { claim: 'groups', value: 'dev', role: 'member', project: 'shop' },
  { claim: 'groups', value: 'lead', role: 'admin', project: 'shop' },
  { claim: 'groups', value: 'dev', role: 'reader', project: 'books' },
  { claim: 'department', value: 'ops', role: 'operator' },
  { claim: 'verified', value: true, role: 'reader', project: 'open' },
  { claim: 'toString', value: 'x', role: 'admin', project: 'shop' },
];
const rolesIn = (claims: object) => {
  const { isOperator, byProject } = rolesOf(rules, claims as Readonly<Record<string, unknown>>);
  return [isOperator, Object.fromEntries(byProject)];
};

it('the strongest role counts, in whichever order the rules are', () => {
  expect(rolesIn({ groups: ['dev', 'lead'] })).toEqual([false, { shop: 'admin', books: 'reader' }]);
  const backwards = rolesOf([...rules].reverse(), { groups: ['lead', 'dev'] });
  expect(backwards.byProject.get('shop')).toBe('admin');
});

it('a claim fits when it is the value or a list that has it', () => {
  expect(rolesIn({ groups: 'dev', department: ['x', 'ops'] })).toEqual([true, { shop: 'member', books: 'reader' }]);
  expect(rolesIn({ verified: true })).toEqual([false, { open: 'reader' }]);
});

it.each([
  {},
  { groups: 'Dev' },
  { groups: 'dev lead' },
  { groups: ['devs', ['dev']] },
  { groups: { dev: 'dev' } },
  { verified: 'true' },
  { verified: 1 },
  { Groups: 'dev' },
])('no rule fits %j', claims => {
  expect(rolesIn(claims)).toEqual([false, {}]);
});

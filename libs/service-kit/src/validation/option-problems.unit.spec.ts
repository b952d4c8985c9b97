import { clusterOptionProblems } from './option-problems.js';

const list = { type: 'array', items: { type: 'string' } };
const options = { type: 'object', additionalProperties: false, properties: { plugins: list } };

it('a plug-in that the operator does not allow is refused, and all are accepted where nothing is restricted', () => {
  const problems = (restrictions?: object): readonly unknown[] =>
    clusterOptionProblems({ options, ...(restrictions && { restrictions }) }, { plugins: ['a', 'b'] }, '/options').map(
      ({ pointer, code }) => [pointer, code],
    );
  expect(problems({ plugins: ['a'] })).toEqual([['/options/plugins/1', 'plugin-not-allowed']]);
  expect(problems({ plugins: ['a', 'b'] })).toEqual([]);
  expect(problems({})).toEqual([]);
  expect(problems()).toEqual([]);
});

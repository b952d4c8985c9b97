import { RefusedError } from '@stave/contracts';
import { problemOf } from './problem.js';

it('a problem repeats no character of the request that hides or reorders text', () => {
  const evil = 'a\u202eb\u0007c\u2066\u200f\u0085\u2028';
  const error = new RefusedError({
    ...{ code: 'unknown-member', kind: 'invalid', detail: `the member ${evil} is unknown` },
    errors: [{ pointer: `/${evil}`, code: 'unknown-member', detail: evil }],
    extra: { candidates: [{ name: evil }] },
  });
  const { problem } = problemOf(error, `/v1/${evil}`, 'c');
  const shown = 'a\\u202eb\\u0007c\\u2066\\u200f\\u0085\\u2028';
  expect(problem).toMatchObject({
    detail: `the member ${shown} is unknown`,
    instance: `/v1/${shown}`,
    errors: [{ pointer: `/${shown}`, detail: shown }],
    candidates: [{ name: shown }],
  });
});

it('texts in any script, and line breaks, stay as they are', () => {
  const detail = 'שלום مرحبا 日本語 ünïcode 👩‍👩‍👧 first line\nsecond line';
  const error = new RefusedError({ code: 'x', kind: 'invalid', detail });
  expect(problemOf(error, '/', 'c').problem.detail).toBe(detail);
});

import { FILTER_CODES } from '../model.js';
import { FILTERS } from './index.js';

it('the filters are asked in the order of their codes', () => {
  expect(FILTERS.map(({ code }) => code)).toEqual(FILTER_CODES);
});

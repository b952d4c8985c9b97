import { resourceRequests } from '@stave/contracts/schemas';
import { bodyProblems } from './request-validator.js';

describe('the problem of a change of a count', () => {
  it.each([
    ['container sets', resourceRequests['container-set']],
    ['node groups', resourceRequests['node-group']],
  ])('says the allowed numbers and forms for %s, without a pattern', (_, requests) => {
    const schema = requests?.actions?.['resize'] ?? {};
    for (const change of ['2', '50', '+x%', '%', 1.5, true, 10_001, -10_001]) {
      const problems = bodyProblems(schema, { change });
      expect(problems.map(({ pointer }) => pointer)).toEqual(['/change']);
      for (const { detail } of problems) {
        for (const part of ['-10000 to 10000', '"+50%"', '"-25%"']) expect(detail).toContain(part);
        expect(detail).not.toContain('^');
      }
    }
    for (const change of [2, -2, '50%', '+50%', '-50%']) expect(bodyProblems(schema, { change })).toEqual([]);
  });
});

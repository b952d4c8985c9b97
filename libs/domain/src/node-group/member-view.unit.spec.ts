import { declared, fold, work } from '../node/node.fixture.js';
import { memberView } from './member-view.js';

describe('a node that failed, as its group sees it', () => {
  const failed = (code?: string): string | undefined =>
    memberView(
      fold(
        work(declared, {
          type: 'failed',
          failure: 'permanent',
          message: 'full',
          ...(code === undefined ? {} : { code }),
        }),
      ),
    ).failed?.class;

  it.each([
    [undefined, 'permanent'],
    ['no-valid-host', 'permanent'],
    ['conductor-lost-repeatedly', 'conductor-lost-repeatedly'],
  ])('with the code %s the class is %s', (code, expected) => {
    expect(failed(code)).toBe(expected);
  });
});

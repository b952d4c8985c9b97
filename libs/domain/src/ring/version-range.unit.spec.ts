import { canOperate } from './version-range.js';

describe('canOperate', () => {
  it.each<[string, string | undefined, string, boolean]>([
    ['1.2.3', undefined, '1.2.3', true],
    ['1.2.3', undefined, '1.2.0', true],
    ['1.2.3', undefined, '1.2.0-rc.1', true],
    ['1.2.3', undefined, '1.2.4', false],
    ['1.2.3', undefined, '1.1.9', false],
    ['1.10.0', '1.9.0', '1.9.0', true],
    ['2.0.0', '1.2.0', '1.2.0', true],
    ['2.0.0', '1.2.0', '1.1.9', false],
    ['2.0.0', '1.2.0', '2.0.1', false],
    ['1.2.3', '1.2.2', '1.2.1', false],
    ['1.2.3', undefined, 'nonsense', false],
    ['nonsense', undefined, '1.0.0', false],
    ['1.2.3', 'nonsense', '1.2.3', false],
  ])(
    'canOperate for version %s, compatible from %s, with version %s is %s',
    (version, compatibleFrom, recorded, expected) => {
      expect(canOperate(compatibleFrom === undefined ? { version } : { version, compatibleFrom }, recorded)).toBe(
        expected,
      );
    },
  );
});

import { isUuid } from '@stave/domain';
import { idSequence, newValues, PlannedValues } from './request-values.js';

describe('PlannedValues', () => {
  it('gives the same id for the same seed, purpose and index, and other ids for others', () => {
    const ids = (seed: string): readonly string[] => {
      const values = new PlannedValues(seed, 1_700_000_000_000);
      const next = idSequence(values, 'group');
      return [values.uuid('resource'), values.uuid('operation'), next(), next()];
    };
    expect(ids('a')).toEqual(ids('a'));
    expect(new Set([...ids('a'), ...ids('b')]).size).toBe(8);
    expect(ids('a').every(isUuid)).toBe(true);
  });

  it('orders the ids of a sequence', () => {
    const next = idSequence(new PlannedValues('a', 1_700_000_000_000), 'group');
    const ids = Array.from({ length: 300 }, next);
    expect([...ids].sort()).toEqual(ids);
  });
});

describe('newValues', () => {
  it('gives a new id in every call', () => {
    expect(newValues.uuid('resource')).not.toBe(newValues.uuid('resource'));
  });
});

import { ValidateBy } from 'class-validator';

const MAX_CODE_POINTS = 255;

/** A conductor group: any text up to 255 code points, counted before it is folded. */
export function IsGroup(): PropertyDecorator {
  return ValidateBy({
    name: 'isGroup',
    validator: {
      validate: value => typeof value === 'string' && [...value].length <= MAX_CODE_POINTS,
      defaultMessage: () => `has at most ${MAX_CODE_POINTS} characters`,
    },
  });
}

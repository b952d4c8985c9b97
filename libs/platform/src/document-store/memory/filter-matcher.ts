import type { DocumentFilter, StoredDocument } from '../document-store.port.js';
import { compareValues } from './value-order.js';

type DocumentTest = (document: StoredDocument) => boolean;
type ValueTest = (value: unknown) => boolean;
type Scalar = string | number | boolean;

export const isScalar = (value: unknown): value is Scalar =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** Whether a value is a filter or a condition with operators, as opposed to a value to compare with. */
export const isFilter = (value: unknown): value is DocumentFilter =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the operators of a condition; a plain value means equality. */
export function operatorsOf(condition: unknown): readonly (readonly [operator: string, operand: unknown])[] {
  const hasOperators = isFilter(condition) && Object.keys(condition).some(key => key.startsWith('$'));
  return hasOperators ? Object.entries(condition) : [['$eq', condition]];
}

/**
 * Compiles a filter to a test of documents. A path that leads through arrays matches when one element does, as in
 * MongoDB. Throws TypeError for a filter that the port does not define.
 */
export function matcherOf(filter: DocumentFilter): DocumentTest {
  const tests = testsOf(filter);
  const [only] = tests;
  return tests.length === 1 && only ? only : document => tests.every(matches => matches(document));
}

function testsOf(filter: DocumentFilter): readonly DocumentTest[] {
  return Object.entries(filter).flatMap(([key, condition]) => {
    if (key === '$and') return branchesOf(key, condition).flatMap(testsOf);
    if (key === '$or') {
      const branches = branchesOf(key, condition).map(matcherOf);
      return [(document: StoredDocument) => branches.some(matches => matches(document))];
    }
    if (key.startsWith('$')) throw new TypeError(`a filter cannot use the operator ${key}`);
    return operatorsOf(condition).map(([operator, operand]) => fieldTest(key, operator, operand));
  });
}

/** Returns the filters of an $and or $or. Throws TypeError when it holds anything else. */
function branchesOf(key: string, condition: unknown): readonly DocumentFilter[] {
  if (!Array.isArray(condition) || !condition.every(isFilter)) throw new TypeError(`${key} takes a list of filters`);
  return condition;
}

function fieldTest(path: string, operator: string, operand: unknown): DocumentTest {
  const keys = path.split('.');
  const fieldHolds = (test: ValueTest): DocumentTest => {
    const [key = ''] = keys;
    if (keys.length > 1) return document => someValueHolds(document, keys, 0, test);
    return document => {
      const value = document[key];
      return test(value) || (Array.isArray(value) && value.some(test));
    };
  };
  const negated = operator === '$ne' || (operator === '$exists' && !operand);
  if (!negated) return fieldHolds(valueTest(operator, operand));
  const holds = fieldHolds(operator === '$ne' ? valueTest('$eq', operand) : valueTest('$exists', true));
  return document => !holds(document);
}

function someValueHolds(value: unknown, keys: readonly string[], from: number, test: ValueTest): boolean {
  const key = keys[from];
  if (key === undefined) return test(value) || (Array.isArray(value) && value.some(test));
  if (Array.isArray(value)) {
    const atIndex = /^\d+$/.test(key) && Number(key) < value.length;
    if (atIndex && someValueHolds(value[Number(key)], keys, from + 1, test)) return true;
    return value.some(item => isFilter(item) && someValueHolds(item, keys, from, test));
  }
  return isFilter(value) ? someValueHolds(value[key], keys, from + 1, test) : test(undefined);
}

function comparison(holds: (value: Scalar, bound: Scalar) => boolean): (bound: unknown) => ValueTest {
  return bound => {
    if (!isScalar(bound)) throw new TypeError('a filter compares with a text, a number or a boolean');
    // MongoDB finds only values of the operand's type
    return value => isScalar(value) && typeof value === typeof bound && holds(value, bound);
  };
}

const valueTests: Readonly<Record<string, (operand: unknown) => ValueTest>> = {
  $eq: operand => (isScalar(operand) ? value => value === operand : value => compareValues(value, operand) === 0),
  $in: operand => {
    if (!Array.isArray(operand) || !operand.every(value => value === null || isScalar(value)))
      throw new TypeError('$in takes a list of texts, numbers, booleans and nulls');
    const wanted = new Set<unknown>(operand);
    return value => wanted.has(value ?? null);
  },
  $exists: () => value => value !== undefined,
  $regex: operand => {
    if (typeof operand !== 'string') throw new TypeError('$regex takes the text of an expression');
    const expression = new RegExp(operand);
    return value => typeof value === 'string' && expression.test(value);
  },
  $gt: comparison((value, bound) => value > bound),
  $gte: comparison((value, bound) => value >= bound),
  $lt: comparison((value, bound) => value < bound),
  $lte: comparison((value, bound) => value <= bound),
};

function valueTest(operator: string, operand: unknown): ValueTest {
  const test = valueTests[operator];
  if (!test) throw new TypeError(`a filter cannot use the operator ${operator}`);
  return test(operand);
}

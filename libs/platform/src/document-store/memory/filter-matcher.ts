import { Context } from 'mingo/core';
import * as query from 'mingo/operators/query';
import { Query } from 'mingo/query';
import type { DocumentFilter, StoredDocument } from '../document-store.port.js';

/** Says whether a document matches; undefined where it cannot tell, as arrays stand in the way. */
type Test = (document: StoredDocument) => boolean | undefined;
type Scalar = string | number | boolean;
/** Of the value at a path that leads through no array; undefined when it is absent. */
type ValueTest = (value: unknown) => boolean;

/** The operators of queries and no others: with all of mingo the product would start a tenth of a second later. */
const context = Context.init({ query });

const isScalar = (value: unknown): value is Scalar => {
  const type = typeof value;
  return type === 'string' || type === 'number' || type === 'boolean';
};
const isObject = (value: unknown): value is DocumentFilter =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof RegExp);

/** Compares with text or a number; MongoDB finds values of the same type only. */
function comparison(operator: string, operand: unknown): ValueTest | undefined {
  const type = typeof operand;
  if (type !== 'string' && type !== 'number') return undefined;
  const low = operand as string | number;
  const beyond: Readonly<Record<string, (value: string | number) => boolean>> = {
    $gt: value => value > low,
    $gte: value => value >= low,
    $lt: value => value < low,
    $lte: value => value <= low,
  };
  const holds = beyond[operator];
  return holds && (value => typeof value === type && holds(value as string | number));
}

function equality(operand: unknown): ValueTest | undefined {
  if (isScalar(operand)) return value => value === operand;
  return operand === null ? value => value === null || value === undefined : undefined;
}

function membership(operand: unknown): ValueTest | undefined {
  if (!Array.isArray(operand) || !operand.every(value => value === null || isScalar(value))) return undefined;
  const wanted = new Set<unknown>(operand);
  return value => wanted.has(value ?? null);
}

function valueTest(operator: string, operand: unknown): ValueTest | undefined {
  switch (operator) {
    case '$eq':
      return equality(operand);
    case '$ne': {
      const equal = equality(operand);
      return equal && (value => !equal(value));
    }
    case '$in':
      return membership(operand);
    case '$exists':
      return value => (value !== undefined) === Boolean(operand);
    case '$regex': {
      if (typeof operand !== 'string') return undefined;
      const expression = new RegExp(operand);
      return value => typeof value === 'string' && expression.test(value);
    }
    default:
      return comparison(operator, operand);
  }
}

function conditionTests(condition: unknown): readonly ValueTest[] | undefined {
  const operators: readonly (readonly [string, unknown])[] =
    isObject(condition) && Object.keys(condition).some(key => key.startsWith('$'))
      ? Object.entries(condition)
      : [['$eq', condition]];
  const tests: ValueTest[] = [];
  for (const [operator, operand] of operators) {
    const test = valueTest(operator, operand);
    if (!test) return undefined;
    tests.push(test);
  }
  return tests;
}

/** Positive tests of lists of scalars: one element that fits is enough. */
const OF_ELEMENTS = new Set(['$eq', '$in', '$regex']);
const fitsElements = (condition: unknown): boolean =>
  isScalar(condition) ||
  (isObject(condition) &&
    Object.entries(condition).every(
      ([operator, operand]) =>
        OF_ELEMENTS.has(operator) && operand !== null && !(Array.isArray(operand) && operand.includes(null)),
    ));

function fieldTest(path: string, condition: unknown): Test | undefined {
  const tests = conditionTests(condition);
  if (!tests) return undefined;
  const [test = () => true] = tests;
  const holds: ValueTest = tests.length === 1 ? test : value => tests.every(one => one(value));
  const ofElements = tests.length === 1 && fitsElements(condition);
  const keys = path.split('.');
  return document => {
    let value: unknown = document;
    for (const key of keys) {
      if (Array.isArray(value)) return undefined;
      value = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
    }
    if (!Array.isArray(value)) return holds(value);
    return ofElements && value.every(isScalar) ? value.some(holds) : undefined;
  };
}

function every(tests: readonly Test[]): Test {
  const [only] = tests;
  if (tests.length === 1 && only) return only;
  return document => {
    let known: boolean | undefined = true;
    for (const test of tests) {
      const holds = test(document);
      if (holds === false) return false;
      if (holds === undefined) known = undefined;
    }
    return known;
  };
}

function some(tests: readonly Test[]): Test {
  return document => {
    let known: boolean | undefined = false;
    for (const test of tests) {
      const holds = test(document);
      if (holds === true) return true;
      if (holds === undefined) known = undefined;
    }
    return known;
  };
}

function compiled(filter: DocumentFilter): Test | undefined {
  const tests: Test[] = [];
  for (const [key, condition] of Object.entries(filter)) {
    const branches = key === '$and' || key === '$or' ? branchTests(condition) : undefined;
    const test = branches ? (key === '$and' ? every(branches) : some(branches)) : undefined;
    const own = test ?? (key.startsWith('$') ? undefined : fieldTest(key, condition));
    if (!own) return undefined;
    tests.push(own);
  }
  return every(tests);
}

function branchTests(condition: unknown): readonly Test[] | undefined {
  if (!Array.isArray(condition)) return undefined;
  const tests = condition.filter(isObject).map(compiled);
  return tests.every(test => test !== undefined) && tests.length === condition.length ? tests : undefined;
}

/**
 * A test of documents against a filter of the port's language. What is plain is decided here, some ten times as fast as by mingo, which
 * decides the rest.
 */
export function matcherOf(filter: DocumentFilter): (document: StoredDocument) => boolean {
  const fast = compiled(filter);
  let slow: Query | undefined;
  const bySlow = (document: StoredDocument): boolean => {
    slow ??= new Query({ ...filter }, { context });
    return slow.test(document);
  };
  return fast ? document => fast(document) ?? bySlow(document) : bySlow;
}

import type { DriverManifest, DriverOperation, OperationRequest } from '../../driver.js';
import { operationDefaults } from '../../contract/operations.js';
import { operationPartProblems } from '../../manifest/operation-schemas.js';
import { referenceTo } from '../spec-builders.js';
import type { ConformanceScore } from './conformance-score.js';
import type { OperationExample } from './driver-fixture.js';
import type { TestBed } from './test-bed.js';

/** Calls the operations of a driver: those that only read and need no parameters, and those of which the fixture has an example. */
export function operationChecks(
  { operations = [] }: DriverManifest,
  bed: () => TestBed,
  check: ConformanceScore['check'],
): void {
  check('answers its operations as its manifest declares them', async () => {
    const { operations: examples = {} } = bed().fixture;
    const unknown = Object.keys(examples).filter(name => !operations.some(operation => operation.name === name));
    expect({ unknown }).toEqual({ unknown: [] });
    for (const operation of operations) {
      const example = examples[operation.name] ?? (canBeAsked(operation) ? {} : undefined);
      if (example) await expectAnswer(operation, example, bed());
    }
  });
}

const canBeAsked = ({ method, path, parameters }: DriverOperation): boolean =>
  method === 'GET' && !path.includes('{') && [parameters?.['required'] ?? []].flat().length === 0;

async function expectAnswer(operation: DriverOperation, example: OperationExample, bed: TestBed): Promise<void> {
  const { name, deadlineSeconds, maxAnswerBytes } = { ...operationDefaults, ...operation };
  const { parameters = {}, body } = example;
  const given = { cluster: referenceTo(bed.cluster), parameters, body: operation.request && (body ?? {}) };
  expect([name, operationPartProblems(operation, 'parameters', parameters)]).toEqual([name, []]);
  if (operation.request) expect([name, operationPartProblems(operation, 'request', given.body)]).toEqual([name, []]);
  const answer = await answered(operation, given, bed, AbortSignal.timeout(deadlineSeconds * 1_000));
  const text = JSON.stringify(answer) ?? '';
  expect([name, typeof answer, Buffer.byteLength(text) <= maxAnswerBytes]).toEqual([name, typeof answer, true]);
  expect([name, operationPartProblems(operation, 'answer', text === '' ? undefined : JSON.parse(text))]).toEqual([
    name,
    [],
  ]);
}

/** Returns the answer, or the first piece of one that streams. */
async function answered(
  { name, method, streaming = false }: DriverOperation,
  request: OperationRequest,
  bed: TestBed,
  signal: AbortSignal,
): Promise<unknown> {
  const atCheckpoint = (): void => {
    if (method === 'GET') throw new Error(`operation ${name} is a GET, which changes nothing`);
  };
  const result = await bed.driver.api?.[name]?.(bed.context({ signal, atCheckpoint }), request);
  const isStream = typeof result === 'object' && result !== null && Symbol.asyncIterator in result;
  expect([name, { streaming: isStream }]).toEqual([name, { streaming }]);
  if (!isStream) return result;
  for await (const piece of result as AsyncIterable<unknown>) return piece;
  return {};
}

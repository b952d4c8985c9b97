import { failureOfStack } from './heat-failure.js';
import { tagText } from './stack.js';

/** Reasons as Heat 19 gave them. */
const reasons: readonly [string, string, string | undefined][] = [
  [
    'Forbidden: resources.s2: Quota exceeded for cores, instances: Requested 1, 1, but already used 2, 2 of 2, 2 (HTTP 403)',
    'capacity',
    'quota-exceeded',
  ],
  ["OverQuotaClient: resources.n: Quota exceeded for resources: ['network'].", 'capacity', 'quota-exceeded'],
  [
    'ResourceInError: resources.server: Went to status ERROR due to "Message: No valid host was found. , Code: 500"',
    'capacity',
    'no-valid-host',
  ],
  [
    'ResourceInError: resources.server: Went to status ERROR due to "Message: Exceeded maximum number of retries. …"',
    'capacity',
    'no-valid-host',
  ],
  [
    'BadRequest: resources.server: The requested availability zone is not available (HTTP 400)',
    'permanent',
    'zone-unknown',
  ],
  ['WaitConditionTimeout: resources.ready: 0 of 1 received', 'transient', 'node-not-ready'],
  ['WaitConditionFailure: resources.ready: step 03-engine failed', 'transient', 'node-reported-failure'],
  ['ResourceInError: resources.server: Went to status ERROR due to "Message: Build aborted"', 'transient', undefined],
];

describe('the failure of a stack', () => {
  it.each(reasons)('%s', (reason, failure, code) => {
    const stack = { id: '1', name: 's', action: 'CREATE', progress: 'FAILED', reason, tags: {} } as const;
    expect(failureOfStack(stack)).toMatchObject({ failure, code, message: `create of stack s failed: ${reason}` });
  });
});

describe('tags', () => {
  it('have no comma and at most 80 characters', () => {
    expect(tagText({ 'stave.cluster': 'c1', 'stave.unit': 'node' })).toBe('stave.cluster=c1,stave.unit=node');
    expect(() => tagText({ a: 'b,c' })).toThrow(RangeError);
    expect(() => tagText({ a: 'b'.repeat(79) })).toThrow(RangeError);
  });
});

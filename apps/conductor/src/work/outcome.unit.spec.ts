import { DriverError } from '@stave/driver-sdk';
import { failureOf } from './outcome.js';

it('the failure of a task has the code of the driver, its own ones too, and none of the core', () => {
  const error = new DriverError('permanent', 'image a:1 does not exist', { code: 'image-missing' });
  const failed = { type: 'failed', failure: 'permanent' };
  expect(failureOf(error)).toEqual({ ...failed, message: 'image a:1 does not exist', code: 'image-missing' });
  const own = new DriverError('permanent', 'no', { code: 'acme-cloud-closed' });
  expect(failureOf(own)).toEqual({ ...failed, message: 'no', code: 'acme-cloud-closed' });
  const other = new DriverError('permanent', 'no', { code: 'conductor-lost-repeatedly' });
  expect(failureOf(other)).toEqual({ ...failed, message: 'no' });
});

it('the failure of a task names the plug-in that its node lacks', () => {
  const error = new DriverError('permanent', 'no', { code: 'plugin-missing', plugin: 'kuryr' });
  expect(failureOf(error)).toMatchObject({ code: 'plugin-missing', plugin: 'kuryr' });
  const unnamed = new DriverError('permanent', 'no', { code: 'plugin-missing', plugin: '' });
  expect(failureOf(unnamed)).not.toHaveProperty('plugin');
});

it('the failure of an unknown error shows its name only', () => {
  const failure = failureOf(new RangeError('a secret'));
  expect(failure).toEqual({ type: 'failed', failure: 'transient', message: 'unexpected error: RangeError' });
});

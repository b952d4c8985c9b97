export { describeDriver, type DescribeDriverOptions } from './describe-driver.js';
export type { DriverFixture } from './driver-fixture.js';

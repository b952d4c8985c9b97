export { describeDriver, type DescribeDriverOptions } from './describe-driver.js';
export type { DriverFixture } from './driver-fixture.js';
export { CONFORMANCE_FILE, fixtureIn, type ConformanceSettings } from './fixture-in.js';

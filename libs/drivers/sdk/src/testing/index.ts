export { describeDriver, type DescribeDriverOptions } from './conformance/describe-driver.js';
export type { DriverFixture } from './conformance/driver-fixture.js';
export { fixtureIn } from './conformance/fixture-in.js';
export { describeOn, itOn } from './describe-on.js';
export { aClusterSpec, aContainerSpec, aNetworkSpec, aNodeSpec, aVolumeSpec, referenceTo } from './spec-builders.js';
export { aDriverContext } from './driver-context.js';
export { silentLogger } from './silent-logger.js';

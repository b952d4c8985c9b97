import { describeKilledWrites } from './killed-writes.suite.js';
import { startInOneProcess } from './written-product.js';

describe('writes to the product in one process that is killed', () => describeKilledWrites(startInOneProcess));

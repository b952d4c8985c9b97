import { startEmbedded } from './stack.js';
import { describeWhole } from './whole.suite.js';

jest.setTimeout(60_000);

describe('the product in one process', () => describeWhole(startEmbedded));

import { startEmbedded } from './stack.js';
import { describeRequests } from './product.suite.js';

jest.setTimeout(120_000);

describe('the product in one process answers requests', () => describeRequests(startEmbedded));

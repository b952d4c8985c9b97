import { startEmbedded } from './stack.js';
import { describeProduct } from './product.suite.js';

jest.setTimeout(60_000);

describe('the product in one process', () => describeProduct(startEmbedded));

import { startEmbedded } from './stack.js';
import { describeInfrastructure } from './product.suite.js';

jest.setTimeout(120_000);

describe('the product in one process works on infrastructure', () => describeInfrastructure(startEmbedded));

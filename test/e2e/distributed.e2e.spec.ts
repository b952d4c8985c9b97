import { describeOn, natsMissing } from '@stave/testing';
import { startDistributedProduct } from './distributed-product.js';
import { describeProduct } from './product.suite.js';

jest.setTimeout(120_000);

describeOn(natsMissing(), 'the product in separate processes', () => describeProduct(() => startDistributedProduct()));

import { describeOn, ferretMissing, natsMissing } from '@stave/testing';
import { describeProduct } from './product.suite.js';
import { startOnServers } from './product-on-servers.js';

jest.setTimeout(120_000);

describeOn(
  natsMissing() ?? ferretMissing(),
  "the product in separate processes, on MongoDB's protocol and on a named event store that others use too",
  () => describeProduct(startOnServers),
);

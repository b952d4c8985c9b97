import { describeOn, natsMissing } from '@stave/testing';
import { describeKilledWrites } from './killed-writes.suite.js';
import { startInSeparateProcesses } from './written-product.js';

describeOn(natsMissing(), 'writes to separate processes that are killed', () =>
  describeKilledWrites(startInSeparateProcesses),
);

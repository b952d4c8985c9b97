export { eventually, type EventuallyOptions } from '@stave/platform/testing';
export { accepts, freePort, ServerProcess } from './server-process.js';
export { repositoryRoot } from './servers.config.js';
export { describeOn, itOn } from './describe-on.js';
export { ferretMissing, mongoNotRestartable, startFerret, type MongoServer } from './start-ferret.js';
export { natsMissing, natsNotRestartable, startNats, type NatsServer, type Skipped } from './start-nats.js';

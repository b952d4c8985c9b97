export { describeOn, itOn } from '@stave/driver-sdk/testing';
export { eventually, type EventuallyOptions } from '@stave/platform/testing';
export { endWithThisProcess } from './servers/end-with-this-process.js';
export { recordServer, type ServerPart } from './servers/record-server.js';
export { accepts, freePort, ServerProcess } from './servers/server-process.js';
export { eventStoreNotReplaceable, namedEventStore, repositoryRoot } from './servers/servers.config.js';
export { chromiumMissing, chromiumProgram } from './servers/chromium.js';
export { ferretMissing, mongoNotRestartable, startFerret, type MongoServer } from './servers/start-ferret.js';
export { ConfiguredNats, natsProgramMissing } from './servers/configured-nats.js';
export { startNatsCluster } from './servers/nats-cluster.js';
export { natsMissing, natsNotRestartable, startNats, type NatsServer } from './servers/start-nats.js';
export {
  prometheusMissing,
  prometheusProgram,
  startPrometheus,
  type PrometheusServer,
} from './servers/start-prometheus.js';
export {
  openStackMissing,
  startOpenStack,
  type OpenStackServer,
  type OpenStackUser,
} from './servers/start-openstack.js';
export {
  expectProblem,
  expectStatus,
  operationIdOf,
  positionOf,
  StaveClient,
  uniqueName,
  type OperationView,
  type Page,
  type ProblemView,
  type SendOptions,
  type StaveAnswer,
} from './stave-client.js';

export type { CloudSettings, Identity } from './cloud/cloud-settings.js';
export { CloudSession, type Account, type ServiceRequest, type ServiceType } from './cloud/cloud-session.js';
export { readCloud, type ReadText } from './cloud/read-cloud.js';
export { HeatClient, type Caller } from './heat/heat-client.js';
export { failureOfAnswer, failureOfStack } from './heat/heat-failure.js';
export type { Stack, StackContent, StackDetails, StackReference } from './heat/stack.js';
export { StackPoller, type PollingPace, type Settled } from './heat/stack-poller.js';
export type { HttpAnswer } from './http/http-request.js';

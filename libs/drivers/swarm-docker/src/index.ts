export { addressPools, CLUSTER_SUBNETS, subnetFor } from './address-pools.js';
export { EngineClient } from './engine-client.js';
export { swarmDockerModule as default } from './swarm-docker-driver.js';

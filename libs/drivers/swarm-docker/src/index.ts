export { EngineClient } from './engine-client.js';
export { swarmDockerModule as default } from './swarm-docker-driver.js';

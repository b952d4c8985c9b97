export { swarmDockerModule as default } from './swarm-docker-driver.js';

export { k8sDockerModule as default } from './k8s-docker-driver.js';

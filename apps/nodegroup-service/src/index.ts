export { createNodeGroupService } from './app.module.js';

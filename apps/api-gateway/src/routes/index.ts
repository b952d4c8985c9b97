export * from './access.routes.js';
export * from './cluster.routes.js';
export * from './container.routes.js';
export * from './node-group.routes.js';
export * from './operation.routes.js';
export * from './read-model.routes.js';
export * from './registry.routes.js';
export { declaredRoutes, type Access, type Method, type Route } from './route.js';
export * from './service.routes.js';

export { createGateway, type Gateway, type GatewayOptions } from './create-gateway.js';
export type { GatewayLog } from './gateway.tokens.js';

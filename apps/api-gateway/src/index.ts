export { DEFAULT_RATES } from './gateway.config.js';
export { createGateway, type Gateway, type GatewayOptions } from './create-gateway.js';

export { DEFAULT_RATES, DEFAULT_STREAMS, DEFAULT_UNREAD, limitsOf } from './gateway.config.js';
export { identityOf, IsIdentityFile } from './identity/identity-file.js';
export { identityUrls, type IdentitySettings } from './identity/identity-settings.js';
export { createGateway, type Gateway, type GatewayOptions } from './create-gateway.js';
export { apiDocument } from './openapi/api-document.js';

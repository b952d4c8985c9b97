export { limitsOf, withLimits } from './gateway.config.js';
export { signInOf, withSignIn } from './sign-in/sign-in-settings.js';
export { identityUrls, type IdentitySettings } from './identity/identity-settings.js';
export { createGateway, type Gateway, type GatewayOptions } from './create-gateway.js';
export { pageAddresses } from './page-addresses.js';
export { API_VERSION, apiDocument } from './openapi/api-document.js';
export { asyncApiDocument, type EventSchemas } from './openapi/async-api-document.js';

import { allRoutes } from '../routes/index.js';
import { openApiDocument } from './openapi-document.js';
import type { Json } from './schema-renderer.js';

/** The version of the API in its documents. */
export const API_VERSION = '1.0.0';

/** Returns the OpenAPI document of the REST API, as the gateway serves it. */
export const apiDocument = (): Json => openApiDocument(allRoutes, API_VERSION);

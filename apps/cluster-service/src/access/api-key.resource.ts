import { defineResource } from '@stave/service-kit';
import { ApiKeyProjection, keyFields } from './api-keys.js';

export const apiKeyResource = defineResource({
  name: 'api-key',
  description: 'the API key',
  projection: ApiKeyProjection,
  model: ({ model }) => model,
  scope: ({ key }) => ({ projectId: key.project ?? '' }),
  fields: keyFields,
  readModel: { name: 'apiKeys', indexedSorts: [], indexedFilters: [] },
});

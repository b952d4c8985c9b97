import { amountsOfKey } from '@stave/domain';
import { defineResource } from '@stave/service-kit';
import { ApiKeyProjection, keyFields } from './api-keys.js';
import { KeyUses } from './key-uses.js';

export const apiKeyResource = defineResource({
  name: 'api-key',
  description: 'the API key',
  projection: ApiKeyProjection,
  model: ({ model }) => model,
  scope: ({ key }) => ({ projectId: key.project ?? '' }),
  fields: keyFields,
  readModel: { name: 'apiKeys', version: 2, indexedSorts: [], indexedFilters: [] },
  quota: amountsOfKey,
  inject: [KeyUses],
  connect: (_projection, uses) => ({
    decorate: document => ({ ...document, lastUsedAt: uses.lastUse(document.id) }),
  }),
});

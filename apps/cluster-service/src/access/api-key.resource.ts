import { defineResource } from '@stave/service-kit';
import { ApiKeyProjection, keyFields } from './api-keys.js';
import { ProjectQuotas } from '../quotas/project-quotas.js';
import { KeyUses } from './key-uses.js';

/** What one key takes of the quotas of its project. */
export const ONE_KEY = { keys: 1 };

export const apiKeyResource = defineResource({
  name: 'api-key',
  description: 'the API key',
  projection: ApiKeyProjection,
  model: ({ model }) => model,
  scope: ({ key }) => ({ projectId: key.project ?? '' }),
  fields: keyFields,
  readModel: { name: 'apiKeys', version: 2, indexedSorts: [], indexedFilters: [] },
  inject: [KeyUses, ProjectQuotas],
  connect: (_projection, uses, quotas) => ({
    plan: {
      outlook: ({ before, after: { key } }) =>
        before === undefined && key.project !== null ? quotas.outlook(key.project, ONE_KEY) : undefined,
    },
    decorate: document => ({ ...document, lastUsedAt: uses.lastUse(document.id) }),
  }),
});

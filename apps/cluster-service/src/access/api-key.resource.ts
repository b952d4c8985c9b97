import { defineResource } from '@stave/service-kit';
import { ApiKeyProjection, keyFields } from './api-keys.js';

export const apiKeyResource = defineResource({
  name: 'api-key',
  description: 'the API key',
  projection: ApiKeyProjection,
  model: ({ model }) => model,
  scope: ({ key }) => key && { projectId: key.project ?? '' },
  fields: state => (state.key && !state.revoked ? keyFields(state) : undefined),
  readModel: {
    name: 'apiKeys',
    sorts: [],
    filters: [],
    document: ({ model }, id) => {
      const entry = model.entry(id);
      if (!entry?.state.key) return undefined;
      const { state, position } = entry;
      return { _id: id, position, deleted: state.revoked, ...keyFields(state) };
    },
  },
});

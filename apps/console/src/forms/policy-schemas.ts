import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { readAt } from '../api/any-path.js';
import { resolved, type Components, type Schema } from './json-schema.js';

/** The schema of the properties of each type of policy. */
export type PolicySchemas = Readonly<Record<string, Schema>>;

interface ApiDocument {
  readonly components: { readonly schemas: Components };
}

function policySchemasOf({ components: { schemas } }: ApiDocument): PolicySchemas {
  const types = schemas['PolicyCreate']?.oneOf ?? [];
  return Object.fromEntries(
    types.map(({ properties = {} }) => [
      String(properties['type']?.const),
      resolved(properties['properties'] ?? {}, schemas),
    ]),
  );
}

/** The types of policies that this gateway has. They are read from its API document, once for each page of the browser. */
export const usePolicySchemas = (): UseQueryResult<PolicySchemas> =>
  useQuery({
    queryKey: ['policy schemas'],
    queryFn: async ({ signal }) => policySchemasOf(await readAt<ApiDocument>('/openapi.json', {}, signal)),
    staleTime: Infinity,
    gcTime: Infinity,
  });

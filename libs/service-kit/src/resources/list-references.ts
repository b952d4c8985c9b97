import { RefusedError, type ListQuery } from '@stave/contracts';
import { isUuid } from '@stave/domain';

/** Finds what a name refers to; throws RefusedError `not-found` when nothing has it. */
export type Resolve = (ref: string) => Promise<{ readonly id: string }>;

/**
 * Turns the references of a list request (`clusterId=web,db`) into a filter by ids. What nothing is named by has no children, as with
 * an id that does not exist. Throws RefusedError `ambiguous-name` with the candidates. Fields without a resolver take ids only.
 * Empty text finds what has no such reference.
 */
export async function withReferences(
  query: ListQuery,
  resolvers: Readonly<Record<string, Resolve>>,
): Promise<ListQuery> {
  const { references = {}, ...rest } = query;
  const parts: Readonly<Record<string, unknown>>[] = [];
  for (const [field, refs] of Object.entries(references)) {
    const ids: (string | null)[] = [];
    for (const ref of refs) ids.push(ref === '' ? null : await idOf(ref, resolvers[field]));
    parts.push({ [field]: ids.length === 1 ? ids[0] : { $in: ids } });
  }
  return parts.length === 0 ? rest : { ...rest, filter: { $and: [query.filter, ...parts] } };
}

async function idOf(ref: string, resolve: Resolve | undefined): Promise<string> {
  if (isUuid(ref) || !resolve) return ref;
  try {
    return (await resolve(ref)).id;
  } catch (error) {
    if (error instanceof RefusedError && error.error.code === 'not-found') return ref;
    throw error;
  }
}

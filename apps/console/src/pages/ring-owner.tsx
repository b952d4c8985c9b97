import { useQuery } from '@tanstack/react-query';
import { readAt } from '../api/any-path.js';
import { useConductors } from '../api/queries.js';
import type { RingLookup } from '../api/types.js';
import { ErrorState } from '../parts/states.js';

/** The conductor that asks for the work of a resource. */
export function Owner({ id }: { readonly id: string }) {
  const conductors = useConductors();
  const { data, error } = useQuery({
    queryKey: ['owner', id],
    queryFn: ({ signal }) => readAt<RingLookup>('/v1/rings/lookup', { resource: id }, signal),
  });
  if (error) return <ErrorState error={error} />;
  if (!data) return null;
  const owner = conductors.data?.items.find(one => one.id === data.conductorId);
  return (
    <p className="note" role="status">
      Slot {data.slot} of the ring <code>{data.key}</code>:{' '}
      {data.conductorId === null ? (
        <b className="bad">no conductor serves it</b>
      ) : (
        <b>{owner?.name ?? data.conductorId}</b>
      )}
      {data.claim ? ', which works on it now' : ''}
    </p>
  );
}

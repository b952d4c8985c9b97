import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useLife, type Life } from '../api/life.js';
import { useName } from '../api/names.js';
import { pageOf, resourceTypes } from '../api/resource-types.js';
import { actorOf, typeTitle } from './event-words.js';
import { EventList } from './event-list.js';
import { PageHead } from './page-head.js';
import { shell } from './shell-command.js';
import { CommandLine, Empty, ErrorState, Loading } from './states.js';
import { Age } from './time.js';

interface GoneProps {
  readonly type: string;
  readonly id: string;
  /** The page of the list that it was in. */
  readonly within: readonly [path: string, title: string];
  /** The moment that the page shows. */
  readonly at?: string | undefined;
}

const When = ({ time }: { readonly time: string }) => (
  <>
    on {new Date(time).toLocaleString()} (<Age time={time} />)
  </>
);

function Creation({ life: { created } }: { readonly life: Life }) {
  return created ? (
    <p>
      It was created <When time={created.time} /> by {actorOf(created)}.
    </p>
  ) : null;
}

function Deletion({ life: { deleted, cause } }: { readonly life: Life }) {
  if (!deleted || !cause) return null;
  const { operationid } = deleted;
  return (
    <p>
      It was deleted <When time={deleted.time} /> by {actorOf(cause)}
      {operationid ? (
        <>
          , in <Link href={`/operations/${operationid}`}>this operation</Link>
        </>
      ) : null}
      . Its history stays.
    </p>
  );
}

/** Leads to the same page at another moment. */
const Then = ({ path, at, children }: { readonly path: string; readonly at: string; readonly children: ReactNode }) => (
  <p className="actions">
    <Link href={`${path}?${new URLSearchParams({ at })}`} className="primary">
      {children}
    </Link>
  </p>
);

/** What became of it, with the way to a moment at which it was there. */
function Ending({ type, id, at, life }: Omit<GoneProps, 'within'> & { readonly life: Life }) {
  const { created, deleted, lastMoment } = life;
  const title = typeTitle(type);
  const { noun = type } = resourceTypes[type] ?? {};
  const path = pageOf(type, id) ?? '/';
  if (!created)
    return (
      <Empty title={`There is no ${title} with this id or name`}>
        <p>
          A deleted one is found by its id only, because its name is free again.{' '}
          <Link href={`/history?type=${type}`}>The history</Link> has the ids.
        </p>
      </Empty>
    );
  const isBefore = at !== undefined && Date.parse(at) < Date.parse(created.time);
  const then = isBefore ? created.time : lastMoment;
  const ended = deleted ? `This ${title} was deleted` : `This ${title} is not there`;
  return (
    <Empty title={isBefore ? `This ${title} did not exist at that time yet` : ended}>
      {isBefore ? <Creation life={life} /> : <Deletion life={life} />}
      {then === undefined ? null : (
        <Then path={path} at={then}>
          {isBefore ? 'Show it as it was created' : 'Show it as it was'}
        </Then>
      )}
      <CommandLine>{shell`stave ${noun} history ${id}`}</CommandLine>
    </Empty>
  );
}

/** Takes the place of a page whose resource was deleted, or did not exist yet at the moment that is shown. Its history stays. */
export function Gone({ type, id, within, at }: GoneProps) {
  const name = useName(type, id);
  const { data: life, error, refetch } = useLife(type, id);
  const cluster = type === 'cluster' ? undefined : life?.created?.cluster;
  const clusterName = useName('cluster', cluster);
  const above = cluster === undefined ? [within] : [within, [`/clusters/${cluster}`, clusterName] as const];
  return (
    <>
      <PageHead title={name} within={above} />
      {error ? <ErrorState error={error} retry={() => void refetch()} /> : null}
      {life || error ? null : <Loading rows={3} />}
      {life ? <Ending {...{ type, id, at, life }} /> : null}
      {life?.created ? (
        <>
          <h2>Its history</h2>
          <EventList
            label="Events, newest first"
            choice={type === 'cluster' ? { cluster: id } : { resource: `${type}/${id}` }}
          />
        </>
      ) : null}
    </>
  );
}

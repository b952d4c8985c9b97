import { ProblemError } from '@stave/client';
import type { ReactNode } from 'react';
import { useResource } from '../api/lists.js';
import { resourceTypes } from '../api/resource-types.js';
import { useMoment, useReferenceThen } from '../time/moment.js';
import { EventList } from './event-list.js';
import { Gone } from './gone.js';
import { PageHead } from './page-head.js';
import { ResourceText } from './resource-text.js';
import { CommandLine, Empty, ErrorState, Loading } from './states.js';
import { Tabs } from './tabs.js';
import { flag, shell } from './shell-command.js';

interface Named {
  readonly id: string;
  readonly name: string;
}

/** A part of a page. */
export interface Part<T> {
  readonly name: string;
  readonly title: string;
  readonly content: (item: T) => ReactNode;
}

interface DetailPageProps<T extends Named> {
  readonly type: string;
  readonly id: string;
  readonly tab: string | undefined;
  /** The page of the list that it is in. */
  readonly within: readonly [path: string, title: string];
  readonly facts: (item: T) => ReactNode;
  readonly actions?: (item: T) => ReactNode;
  readonly above?: (item: T) => ReactNode;
  readonly parts: readonly Part<T>[];
  /** What the command line calls it; default: its name. */
  readonly useReference?: (item: T) => string;
}

const useOwnName = ({ name }: Named): string => name;

/** The command that prints it. */
function GetCommand<T extends Named>({
  item,
  noun,
  at,
  useReference,
}: {
  readonly item: T;
  readonly noun: string;
  readonly at: string | undefined;
  readonly useReference: (item: T) => string;
}) {
  const reference = useReferenceThen({ name: useReference(item), id: item.id });
  return <CommandLine>{shell`stave ${noun} get ${reference}${flag('at', at)}`}</CommandLine>;
}

/** The page of one resource, now or as it was: what it is, its parts, its events, and what the API says. */
export function DetailPage<T extends Named>(props: DetailPageProps<T>) {
  const { type, id, within, facts, actions, above, useReference = useOwnName } = props;
  const [at] = useMoment();
  const { data: item, error, refetch } = useResource<T>(type, id, at);
  if (error instanceof ProblemError && error.status === 404) return <Gone {...{ type, id, within, at }} />;
  if (error && !item) return <ErrorState error={error} retry={() => void refetch()} />;
  if (!item) return <Loading />;
  const { page = '', noun = '' } = resourceTypes[type] ?? {};
  const parts: readonly Part<T>[] = [
    ...props.parts,
    {
      name: 'history',
      title: 'History',
      content: ({ id: own }) => (
        <EventList
          label="Events, newest first"
          choice={{ resource: `${type}/${own}`, ...(at === undefined ? {} : { until: at }) }}
        />
      ),
    },
    { name: 'json', title: 'JSON', content: value => <ResourceText value={value} /> },
  ];
  const tab = props.tab ?? parts[0]?.name ?? '';
  return (
    <>
      <PageHead title={item.name} within={[within]} actions={actions?.(item)}>
        {facts(item)}
      </PageHead>
      {above?.(item)}
      <Tabs
        label={`Parts of ${item.name}`}
        base={`${page}/${id}`}
        tabs={parts.map(({ name, title }) => [name, title] as const)}
        tab={tab}
      />
      {parts.find(({ name }) => name === tab)?.content(item) ?? <Empty title="There is no such part" />}
      <GetCommand {...{ item, noun, at, useReference }} />
    </>
  );
}

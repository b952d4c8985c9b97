import { Select, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useShortList } from '../api/lists.js';
import { resourceTypes } from '../api/resource-types.js';
import type { Project } from '../api/types.js';
import type { EventChoice } from '../api/events.js';
import { EventList } from '../parts/event-list.js';
import { PageHead } from '../parts/page-head.js';
import { CommandLine } from '../parts/states.js';
import { useUrl } from '../parts/use-url.js';
import { useMoment } from '../time/moment.js';
import { flag, shell, withFlags } from '../parts/shell-command.js';

const TYPING_MS = 400;
const spans: Readonly<Record<string, { readonly ms: number; readonly command: string }>> = {
  'the last hour': { ms: 3_600_000, command: '1h' },
  'the last day': { ms: 86_400_000, command: '1d' },
  'the last week': { ms: 604_800_000, command: '7d' },
};

const types = Object.entries(resourceTypes).map(([value, { title }]) => ({ value, label: title }));

/** A field whose text is taken when the typing rests. */
function TextFilter({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const [text, setText] = useState(value);
  useEffect(() => {
    if (text === value) return undefined;
    const timer = setTimeout(() => onChange(text.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return <TextInput label={label} value={text} onChange={event => setText(event.currentTarget.value)} />;
}

function Filters() {
  const [get, set] = useUrl();
  const projects = useShortList<Project>('/v1/projects', { limit: 100, sort: 'name' }, ['project']);
  const choice = (name: string) => ({
    value: get(name) ?? null,
    onChange: (value: string | null) => set({ [name]: value ?? undefined }),
  });
  return (
    <div className="filters">
      <Select
        label="About"
        placeholder="everything"
        clearable
        data={types}
        {...choice('type')}
        clearButtonProps={{ 'aria-label': 'About everything' }}
      />
      <TextFilter label="Cluster" value={get('cluster') ?? ''} onChange={value => set({ cluster: value })} />
      <Select
        label="Project"
        placeholder="all"
        clearable
        data={projects.data?.items.map(({ id, name }) => ({ value: id, label: name })) ?? []}
        {...choice('project')}
        clearButtonProps={{ 'aria-label': 'All projects' }}
      />
      <TextFilter label="Id of a resource" value={get('resource') ?? ''} onChange={value => set({ resource: value })} />
      <Select
        label="Since"
        placeholder="the beginning"
        clearable
        data={Object.keys(spans)}
        {...choice('since')}
        clearButtonProps={{ 'aria-label': 'Since the beginning' }}
      />
    </div>
  );
}

/** The choice of the address. A span is counted from the time at which the page was opened, so that its pages fit together. */
function useChoice(): EventChoice {
  const [get] = useUrl();
  const [at] = useMoment();
  const [now] = useState(Date.now);
  const [type, cluster, project, resource] = [get('type'), get('cluster'), get('project'), get('resource')];
  const span = spans[get('since') ?? ''];
  return {
    ...(type === undefined ? {} : { type: `stave.${type}.*` }),
    ...(cluster === undefined ? {} : { cluster }),
    ...(project === undefined ? {} : { project }),
    ...(resource === undefined ? {} : { resource }),
    ...(span === undefined ? {} : { since: new Date(now - span.ms).toISOString() }),
    ...(at === undefined ? {} : { until: at }),
  };
}

/** Everything that happened to everything, the newest first. */
export function HistoryPage() {
  const choice = useChoice();
  const [get] = useUrl();
  const { type, cluster, resource, until } = choice;
  const since = spans[get('since') ?? '']?.command ?? 'start';
  const filters = [flag('until', until), flag('cluster', cluster), flag('type', type), flag('resource', resource)];
  return (
    <>
      <PageHead title="History" />
      <Filters />
      <EventList key={JSON.stringify(choice)} label="Events, newest first" choice={choice} />
      <CommandLine>{withFlags(shell`stave events --since ${since}`, filters)}</CommandLine>
    </>
  );
}

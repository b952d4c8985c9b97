import { useName } from '../api/names.js';
import { resourceTypes } from '../api/resource-types.js';
import { EventList } from './event-list.js';
import { PageHead } from './page-head.js';
import { CommandLine, Empty } from './states.js';
import { shell } from './shell-command.js';

interface GoneProps {
  readonly type: string;
  readonly id: string;
  /** The moment that the page shows. */
  readonly at?: string | undefined;
}

/** Takes the place of a page whose resource was deleted, or did not exist yet at the moment that is shown. Its history stays. */
export function Gone({ type, id, at }: GoneProps) {
  const name = useName(type, id);
  const { title = type, noun = type, page = '/' } = resourceTypes[type] ?? {};
  return (
    <>
      <PageHead title={name} within={[[page, `${title.charAt(0).toUpperCase()}${title.slice(1)}s`]]} />
      <Empty
        title={
          at === undefined ? `This ${title} does not exist, or was deleted` : `This ${title} did not exist at that time`
        }
      >
        <CommandLine>{shell`stave history ${id} --diff`}</CommandLine>
      </Empty>
      <h2>Its history</h2>
      <EventList label={`Events of this ${noun}`} choice={{ resource: `${type}/${id}` }} />
    </>
  );
}

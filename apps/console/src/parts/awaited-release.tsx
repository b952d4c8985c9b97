import type { Schemas } from '../api/types.js';
import { ChangeButton } from '../changes/change-button.js';
import { resourceTypes } from '../api/resource-types.js';
import { Age } from './time.js';
import { shell } from './shell-command.js';

type Release = Schemas['AwaitedRelease'];

interface AwaitedReleaseProps {
  readonly type: 'node' | 'container';
  readonly id: string;
  readonly name: string;
  readonly release: Release | undefined;
  /** The command line calls it this. */
  readonly reference: string;
}

const deliveries: Readonly<Record<NonNullable<Release['delivery']>, string>> = {
  pending: 'is being asked',
  delivered: 'was asked and has not answered yet',
  failed: 'could not be reached: release it here, or it waits until its time is over',
};

/** A removal that waits for its release: since when, for what, until when, and how it is ended. */
export function AwaitedRelease({ type, id, name, release, reference }: AwaitedReleaseProps) {
  if (!release) return null;
  const { since, until, onTimeout, url, delivery } = release;
  const { list = '', noun = type, title = type } = resourceTypes[type] ?? {};
  const stays = type === 'node' ? 'it takes no new containers and keeps those that it has' : 'it stays in service';
  const request = (action: string) => ({ method: 'post', path: `${list}/${id}/actions/${action}`, body: {} }) as const;
  return (
    <section className="panel awaits" aria-label="Waits for its release">
      <div className="line">
        <h2>Its removal waits for a release</h2>
        <span className="space" />
        <span className="actions">
          <ChangeButton
            label="Release"
            isDanger
            title={`Release ${name}`}
            request={request('release')}
            command={shell`stave ${noun} release ${reference} --plan`}
          >
            <p>Its removal continues now, and cannot be undone.</p>
          </ChangeButton>
          <ChangeButton
            label="Keep"
            title={`Keep ${name}`}
            request={request('abort')}
            command={shell`stave ${noun} abort ${reference} --plan`}
          >
            <p>The {title} is kept. The operation that would have removed it fails.</p>
          </ChangeButton>
        </span>
      </div>
      <dl className="pairs">
        <dt>Since</dt>
        <dd>
          <Age time={since} />; {stays}
        </dd>
        <dt>For</dt>
        <dd>
          {url === undefined ? (
            'somebody who releases or keeps it'
          ) : (
            <>
              <code className="wrap">{url}</code> {delivery === undefined ? null : deliveries[delivery]}
            </>
          )}
        </dd>
        <dt>Until</dt>
        <dd>
          {new Date(until).toLocaleString()} (<Age time={until} />
          ); then it is {onTimeout === 'abort' ? 'kept' : 'removed'}
        </dd>
      </dl>
    </section>
  );
}

import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { groupBy } from '../api/group-by.js';
import { useShortList } from '../api/lists.js';
import { useConductors } from '../api/queries.js';
import type { Conductor, Driver, Ring } from '../api/types.js';
import { ChangeButton } from '../changes/change-button.js';
import { PageHead } from '../parts/page-head.js';
import { CommandLine, ErrorState, Loading } from '../parts/states.js';
import { Status } from '../parts/status.js';
import { Age } from '../parts/time.js';
import { OnlyNow } from '../time/time-bar.js';
import { Owner } from './ring-owner.js';
import { shell } from '../parts/shell-command.js';

const SLOTS = 1_024;

function ConductorCard({ conductor }: { readonly conductor: Conductor }) {
  const { id, name, state, load, weight, release, drivers, lastHeartbeatAt, suspectedLosses } = conductor;
  return (
    <li className="card">
      <div className="line">
        <span className="strong">{name}</span>
        <Status status={state} />
        <span className="space" />
        {state === 'DRAINING' ? null : (
          <ChangeButton
            label="Drain"
            title={`Drain ${name}`}
            request={{ method: 'post', path: `/v1/conductors/${id}/actions/drain`, body: {} }}
            command={shell`stave conductors drain ${name} --plan`}
          />
        )}
      </div>
      <dl className="pairs">
        <dt>Tasks</dt>
        <dd>{load}</dd>
        <dt>Weight</dt>
        <dd>{weight}</dd>
        <dt>Heartbeat</dt>
        <dd>
          <Age time={lastHeartbeatAt ?? undefined} />
        </dd>
        <dt>Release</dt>
        <dd>{release}</dd>
        <dt>Drivers</dt>
        <dd>{drivers.map(driver => `${driver.name} ${driver.version}`).join(', ')}</dd>
        {suspectedLosses > 0 ? (
          <>
            <dt>Suspected losses</dt>
            <dd>{suspectedLosses}</dd>
          </>
        ) : null}
      </dl>
    </li>
  );
}

/** The conductors that share a ring, each with its part of the slots. */
function RingShares({ ring }: { readonly ring: Ring }) {
  const [table] = ring.tables;
  const shares = Object.entries(table?.slots ?? {}).sort(([, a], [, b]) => b - a);
  return (
    <li>
      <div className="line">
        <span className="strong">{ring.driver}</span>
        <span className="dim">{ring.group ? `group ${ring.group}` : 'default group'}</span>
        {table ? <span className="dim">version {table.version}</span> : null}
        {ring.pinnedBy.length > 0 ? <span className="bad">pinned by {ring.pinnedBy.join(', ')}</span> : null}
        <span className="space" />
        <span className="dim">epoch {ring.epoch}</span>
      </div>
      {shares.length === 0 ? <p className="bad">No conductor serves it.</p> : null}
      {shares.slice(0, 12).map(([conductor, slots]) => (
        <p key={conductor} className="ring-share">
          <span>{conductor}</span>
          <span className="score-bar" aria-hidden="true">
            <span style={{ width: `${(slots / SLOTS) * 100}%` }} />
          </span>
          <span className="dim">
            {slots} of {SLOTS} slots
          </span>
        </p>
      ))}
      {shares.length > 12 ? <p className="dim">and {shares.length - 12} more</p> : null}
    </li>
  );
}

function Rings() {
  const { data, error, refetch } = useShortList<Ring>('/v1/rings', { limit: 50 }, ['conductorRing']);
  if (error) return <ErrorState error={error} retry={() => void refetch()} />;
  return (
    <ul className="plain">
      {data?.items.map(ring => (
        <RingShares key={ring.id} ring={ring} />
      ))}
    </ul>
  );
}

function Drivers() {
  const { data, error, refetch } = useShortList<Driver>('/v1/drivers', { limit: 50 }, ['conductorRing']);
  if (error) return <ErrorState error={error} retry={() => void refetch()} />;
  return (
    <ul className="plain">
      {data?.items.map(({ id, name, versions, conductorGroups }) => (
        <li key={id} className="line">
          <span className="strong">{name}</span>
          <span>{versions.join(', ')}</span>
          <span className="space" />
          <span className="dim">{conductorGroups.map(group => group || 'default group').join(', ')}</span>
        </li>
      ))}
    </ul>
  );
}

function FindOwner() {
  const [id, setId] = useState('');
  return (
    <>
      <TextInput
        label="Id of a resource"
        maw="26rem"
        value={id}
        onChange={event => setId(event.currentTarget.value.trim())}
      />
      {id === '' ? null : <Owner id={id} />}
    </>
  );
}

/** The conductors by group: who does the work, how much each has, and who serves what. */
export function FleetPage() {
  const { data, error, refetch } = useConductors();
  const groups = [...groupBy(data?.items ?? [], ({ group }) => group)].sort(([a], [b]) => (a < b ? -1 : 1));
  return (
    <>
      <PageHead title="Fleet" />
      <OnlyNow>Conductors are shown as they are now.</OnlyNow>
      {error ? <ErrorState error={error} retry={() => void refetch()} /> : null}
      {!data && !error ? <Loading /> : null}
      <div className="panels sites">
        {groups.map(([group, conductors]) => (
          <section key={group} className="panel" aria-label={group === '' ? 'Default group' : `Group ${group}`}>
            <h2>{group === '' ? 'Default group' : group}</h2>
            <ul className="cards">
              {conductors.map(conductor => (
                <ConductorCard key={conductor.id} conductor={conductor} />
              ))}
            </ul>
          </section>
        ))}
      </div>
      <div className="panels">
        <section className="panel" aria-labelledby="rings">
          <h2 id="rings">Rings</h2>
          <Rings />
        </section>
        <section className="panel" aria-labelledby="drivers">
          <h2 id="drivers">Drivers</h2>
          <Drivers />
        </section>
        <section className="panel" aria-labelledby="owner">
          <h2 id="owner">Who serves a resource</h2>
          <FindOwner />
        </section>
      </div>
      <CommandLine>{shell`stave conductors list`}</CommandLine>
    </>
  );
}

import { useConductors } from '../api/queries.js';
import type { Conductor } from '../api/types.js';
import { PageHead } from '../parts/page-head.js';
import { CommandLine, ErrorState, Loading } from '../parts/states.js';
import { Status } from '../parts/status.js';
import { Age } from '../parts/time.js';

function ConductorCard({ conductor }: { readonly conductor: Conductor }) {
  const { name, state, load, weight, release, drivers, lastHeartbeatAt, suspectedLosses } = conductor;
  return (
    <li className="card">
      <div className="line">
        <span className="strong">{name}</span>
        <Status status={state} />
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

/** The conductors by group: who does the work, and how much each has. */
export function FleetPage() {
  const { data, error, refetch } = useConductors();
  const groups = new Map<string, Conductor[]>();
  for (const conductor of data?.items ?? []) {
    const members = groups.get(conductor.group);
    if (members) members.push(conductor);
    else groups.set(conductor.group, [conductor]);
  }
  return (
    <>
      <PageHead title="Fleet" />
      {error ? <ErrorState error={error} retry={() => void refetch()} /> : null}
      {!data && !error ? <Loading /> : null}
      {[...groups].sort().map(([group, conductors]) => (
        <section key={group} className="panel" aria-label={group === '' ? 'Default group' : `Group ${group}`}>
          <h2>{group === '' ? 'Default group' : group}</h2>
          <ul className="cards">
            {conductors.map(conductor => (
              <ConductorCard key={conductor.id} conductor={conductor} />
            ))}
          </ul>
        </section>
      ))}
      <CommandLine>stave conductors list</CommandLine>
    </>
  );
}

import { useMemo } from 'react';
import { SetAutoscaling } from '../autoscaling/set-autoscaling.js';
import { listOf } from '../api/lists.js';
import type { Container, ContainerSet } from '../api/types.js';
import { VerbButtons } from '../changes/verb-buttons.js';
import { PoliciesOf } from '../policies/policies-of.js';
import { Changed, StatusReason } from '../parts/facts.js';
import { DetailPage, type Part } from '../parts/detail-page.js';
import { Resource } from '../parts/resource.js';
import { ResourceTable } from '../parts/resource-table.js';
import { Empty } from '../parts/states.js';
import { Status } from '../parts/status.js';
import { Why } from '../why/why.js';
import { containerColumnsInCluster } from './container-columns.js';
import { ResizeSet } from './resize-set.js';
import { shell } from '../parts/shell-command.js';
import { useReferenceThen } from '../time/moment.js';

function Members({ set }: { readonly set: ContainerSet }) {
  const kind = useMemo(() => listOf<Container>('container', { setId: set.id }, set.clusterId), [set.id, set.clusterId]);
  const reference = useReferenceThen(set);
  return (
    <ResourceTable
      label={`Members of ${set.name}`}
      what="members"
      command={shell`stave containers list --filter setId=${reference}`}
      columns={containerColumnsInCluster}
      href={({ id }) => `/containers/${id}`}
      sort="ordinal"
      empty={<Empty title="It has no member" />}
      {...{ kind }}
    />
  );
}

const parts: readonly Part<ContainerSet>[] = [
  { name: 'members', title: 'Members', content: set => <Members set={set} /> },
  { name: 'autoscaling', title: 'Autoscaling', content: set => <SetAutoscaling set={set} /> },
  { name: 'why', title: 'Why', content: ({ id, name }) => <Why type="containerSet" {...{ id, name }} /> },
  {
    name: 'policies',
    title: 'Policies',
    content: ({ id, name }) => <PoliciesOf type="containerSet" {...{ id, name }} />,
  },
];

/** How far a change of the members is, where one is under way. */
function Rollout({ set: { rollout, counts, profileRevision } }: { readonly set: ContainerSet }) {
  if (!rollout) return null;
  const { done = 0, total = 0, status, from, to } = rollout;
  return (
    <section className="panel rollout" aria-label="Rollout">
      <div className="line">
        <span className="strong">
          Rollout to revision {to ?? profileRevision}
          {from === undefined ? '' : ` from ${from}`}
        </span>
        <Status status={status === 'GOING_BACK' ? 'DEGRADED' : (status ?? 'RUNNING')} />
        {status === 'GOING_BACK' ? <span>going back</span> : null}
        <span className="space" />
        <span className="dim">
          {done} of {total} replaced, {counts.available} available
        </span>
      </div>
      <progress max={Math.max(1, total)} value={done} aria-label={`${done} of ${total} members are replaced`} />
    </section>
  );
}

function Actions({ set }: { readonly set: ContainerSet }) {
  const { id, name, rollout } = set;
  const verbs = [
    ...(rollout?.status === 'PAUSED' ? ['resume'] : []),
    ...(rollout?.status === 'RUNNING' ? ['pause'] : []),
    'restart',
    'rebalance',
  ];
  return (
    <>
      <ResizeSet set={set} />
      <VerbButtons type="containerSet" {...{ id, name, verbs }} />
    </>
  );
}

function Facts({ set }: { readonly set: ContainerSet }) {
  const {
    status,
    statusReason,
    counts,
    desired,
    clusterId,
    profileId,
    profileRevision,
    updatedAt,
    autoscaling,
    min,
    max,
  } = set;
  return (
    <>
      <p className="facts">
        <Status status={status} />
        <span>
          {counts.available} of {desired} available
        </span>
        {counts.pending > 0 ? <span className="dim">{counts.pending} pending</span> : null}
        {counts.failed > 0 ? <span className="bad">{counts.failed} failed</span> : null}
        <span>
          in <Resource type="cluster" id={clusterId} />
        </span>
        <span>
          profile <Resource type="containerProfile" id={profileId} />{' '}
          <span className="dim">revision {profileRevision}</span>
        </span>
        {autoscaling?.enabled ? (
          <span className="dim">
            follows its load, {min} to {max ?? 'any number'}
          </span>
        ) : null}
        <Changed time={updatedAt} />
      </p>
      <StatusReason status={status} statusReason={statusReason} />
    </>
  );
}

/** A container set: its members and their rollout, how it follows its load, and what happened to it. */
export const SetPage = ({ id, tab }: { readonly id: string; readonly tab: string | undefined }) => (
  <DetailPage<ContainerSet>
    type="containerSet"
    within={['/sets', 'Container sets']}
    facts={set => <Facts set={set} />}
    actions={set => <Actions set={set} />}
    above={set => <Rollout set={set} />}
    {...{ id, tab, parts }}
  />
);

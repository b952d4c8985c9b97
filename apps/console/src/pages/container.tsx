import type { Container } from '../api/types.js';
import { ChangeButton } from '../changes/change-button.js';
import { VerbButtons } from '../changes/verb-buttons.js';
import { Changed, StatusReason } from '../parts/facts.js';
import { DetailPage, type Part } from '../parts/detail-page.js';
import { AwaitedRelease } from '../parts/awaited-release.js';
import { Resource } from '../parts/resource.js';
import { Status } from '../parts/status.js';
import { Why } from '../why/why.js';
import { ContainerLogs } from './container-logs.js';
import { shell } from '../parts/shell-command.js';

const parts: readonly Part<Container>[] = [
  {
    name: 'why',
    title: 'Why',
    content: ({ id, name, placement }) => <Why type="container" {...{ id, name, placement }} />,
  },
  { name: 'logs', title: 'Logs', content: container => <ContainerLogs container={container} /> },
];

function Actions({ container: { id, name, status } }: { readonly container: Container }) {
  const isStopped = status === 'STOPPED';
  const verbs = [isStopped ? 'start' : 'restart', ...(isStopped ? [] : ['stop']), 'move'];
  return (
    <>
      <VerbButtons type="container" {...{ id, name, verbs }} />
      <ChangeButton
        label="Delete"
        title={`Delete ${name}`}
        request={{ method: 'delete', path: `/v1/containers/${id}` }}
        command={shell`stave containers delete ${name} --plan`}
      />
    </>
  );
}

function Places({ container: { nodeId, clusterId, setId } }: { readonly container: Container }) {
  const places = [
    ['on', 'node', nodeId],
    ['in', 'cluster', clusterId],
    ['of', 'containerSet', setId],
  ] as const;
  return (
    <>
      {places.map(([word, type, id]) =>
        id === null ? null : (
          <span key={type}>
            {word} <Resource type={type} id={id} />
          </span>
        ),
      )}
    </>
  );
}

function Facts({ container }: { readonly container: Container }) {
  const { status, health, image, resources, restarts, exitCode, updatedAt, statusReason, release } = container;
  return (
    <>
      <p className="facts">
        <Status status={release ? 'WAITING' : status} />
        {health === 'none' || health === 'unknown' ? null : <Status status={health.toUpperCase()} />}
        <code>{image}</code>
        <Places container={container} />
        <span className="dim">
          {resources.cpus ?? 0} CPU, {resources.memoryMb ?? 0} MB
        </span>
        {restarts > 0 ? <span className="dim">{restarts} restarts</span> : null}
        {exitCode === null ? null : <span className="dim">exit code {exitCode}</span>}
        <Changed time={updatedAt} />
      </p>
      {release ? null : <StatusReason status={status} statusReason={statusReason} />}
    </>
  );
}

/** A container: why it is where it is or waits, what it writes, and what happened to it. */
export const ContainerPage = ({ id, tab }: { readonly id: string; readonly tab: string | undefined }) => (
  <DetailPage<Container>
    type="container"
    within={['/containers', 'Containers']}
    facts={container => <Facts container={container} />}
    actions={container => <Actions container={container} />}
    above={({ id: own, name, release }) => (
      <AwaitedRelease type="container" id={own} reference={name} {...{ name, release }} />
    )}
    {...{ id, tab, parts }}
  />
);

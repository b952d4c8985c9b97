import { Button } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { useName } from '../api/names.js';
import { pageOf } from '../api/resource-types.js';
import { useOperation, useSteps } from '../api/queries.js';
import type { Operation, Step } from '../api/types.js';
import { titleOf } from '../parts/operation-row.js';
import { typeTitle } from '../parts/event-words.js';
import { PageHead } from '../parts/page-head.js';
import { Resource } from '../parts/resource.js';
import { CommandLine, ErrorState, Loading } from '../parts/states.js';
import { byConcern, Status, toneOf } from '../parts/status.js';
import { Age, ageOf, useNow } from '../parts/time.js';
import { session } from '../session/session.js';
import { shell } from '../parts/shell-command.js';

interface Span {
  readonly from: number;
  readonly to: number;
}

/** When it worked on what, from the first attempt to the last: one line for each step. */
function StepLine({ step, span, isOver }: { readonly step: Step; readonly span: Span; readonly isOver: boolean }) {
  const { name, status, attempts, resource, conductor, startedAt, finishedAt, nextAttemptAt, lastError } = step;
  const [kind = ''] = name.split(' ');
  const length = Math.max(1, span.to - span.from);
  const from = (Date.parse(startedAt) - span.from) / length;
  const to = ((finishedAt === undefined ? span.to : Date.parse(finishedAt)) - span.from) / length;
  const place = { marginLeft: `${Math.min(99, from * 100)}%`, width: `max(3px, ${Math.max(0, to - from) * 100}%)` };
  return (
    <li className="step">
      <div className="step-what">
        <StepResource resource={resource} />
        <span className="dim">{titleOf(kind).toLowerCase()}</span>
      </div>
      <Status status={status} />
      <div className="step-track" aria-hidden="true">
        <span className={`fill fill-${toneOf(status)}`} style={place} />
      </div>
      <div className="step-facts dim">
        {attempts > 1 ? <span>{attempts} attempts</span> : null}
        {nextAttemptAt && !isOver ? (
          <span>
            next <Age time={nextAttemptAt} />
          </span>
        ) : null}
        {finishedAt ? <span>{ageOf(Date.parse(finishedAt) - Date.parse(startedAt))}</span> : null}
        {conductor ? <span>{conductor}</span> : null}
      </div>
      {typeof lastError === 'string' && status !== 'DONE' ? <p className="why">{lastError}</p> : null}
    </li>
  );
}

function StepResource({ resource: { type, id, name } }: Pick<Step, 'resource'>) {
  const page = pageOf(type, id);
  const text = name ?? id;
  return page === undefined ? (
    <span className="strong">{text}</span>
  ) : (
    <Link href={page} className="strong">
      {text}
    </Link>
  );
}

function Steps({ operation }: { readonly operation: Operation }) {
  const { data, error, refetch } = useSteps(operation.id);
  const now = useNow();
  if (error) return <ErrorState error={error} retry={() => void refetch()} />;
  if (!data) return <Loading />;
  const open = [...data.open].sort((a, b) => byConcern(a.status, b.status));
  const steps = [...open, ...data.done];
  if (steps.length === 0) {
    const said =
      operation.finishedAt === undefined ? 'No conductor has begun yet.' : 'No conductor had to do anything.';
    return <p className="dim quiet-line">{said}</p>;
  }
  const from = Math.min(...steps.map(({ startedAt }) => Date.parse(startedAt)));
  const to = operation.finishedAt === undefined ? now : Date.parse(operation.finishedAt);
  return (
    <>
      <ol className="steps" aria-label="Steps">
        {steps.map(step => (
          <StepLine key={step.name} step={step} span={{ from, to }} isOver={operation.finishedAt !== undefined} />
        ))}
      </ol>
      {data.isPart ? <p className="dim note">Only the first 200 open and 200 finished steps are shown.</p> : null}
    </>
  );
}

function Cancel({ operation }: { readonly operation: Operation }) {
  const [error, setError] = useState<Error>();
  const cancel = async (): Promise<void> => {
    setError(undefined);
    try {
      await session.client.post('/v1/operations/{id}/cancel', { path: { id: operation.id } });
    } catch (refusal) {
      setError(refusal as Error);
    }
  };
  return (
    <>
      <Button variant="default" size="xs" onClick={() => void cancel()}>
        Cancel operation
      </Button>
      {error ? <ErrorState error={error} /> : null}
    </>
  );
}

/** What an operation does, where it stands, and what keeps it: failed and retried steps first. */
export function OperationPage({ id }: { readonly id: string }) {
  const { data: operation, error, refetch } = useOperation(id);
  const targetName = useName(operation?.target.type ?? '', operation?.target.id);
  if (error && !operation) return <ErrorState error={error} retry={() => void refetch()} />;
  if (!operation) return <Loading />;
  const { kind, status, progress, target, createdAt, finishedAt, clusterId } = operation;
  const isOpen = status === 'RUNNING' || status === 'PENDING';
  return (
    <>
      <PageHead
        title={
          <>
            {titleOf(kind)} {targetName}
          </>
        }
        within={[['/operations', 'Operations']]}
      >
        <p className="facts">
          <Status status={status} />
          <span>
            {progress.done} of {progress.total} steps
          </span>
          <span className="dim">
            began <Age time={createdAt} />
            {finishedAt ? `, took ${ageOf(Date.parse(finishedAt) - Date.parse(createdAt))}` : ''}
          </span>
          <span>
            {typeTitle(target.type)} <Resource type={target.type} id={target.id} />
          </span>
          {clusterId && clusterId !== target.id ? (
            <span>
              in <Resource type="cluster" id={clusterId} />
            </span>
          ) : null}
        </p>
        {isOpen ? <progress max={100} value={progress.percent} aria-label={`${progress.percent} percent`} /> : null}
        {operation.error ? <p className="reason">{operation.error.detail}</p> : null}
        {isOpen ? <Cancel operation={operation} /> : null}
      </PageHead>
      <Steps operation={operation} />
      <CommandLine>{shell`stave operations get ${id}`}</CommandLine>
    </>
  );
}

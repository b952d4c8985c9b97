import { Link } from 'wouter';
import type { Operation } from '../api/types.js';
import { Status } from './status.js';
import { Age } from './time.js';

const words: Readonly<Record<string, string>> = { create: 'Create', update: 'Update', delete: 'Delete' };

/** `cluster.create` as `Create cluster`. */
export function titleOf(kind: string): string {
  const [type = '', verb = ''] = kind.split('.');
  const text = type
    .replaceAll(/([A-Z])/g, ' $1')
    .replaceAll('-', ' ')
    .toLowerCase();
  return `${words[verb] ?? verb.charAt(0).toUpperCase() + verb.slice(1)} ${text}`;
}

/** An operation in a list: what it does, how far it is, and how many of its steps do not go well. */
export function OperationRow({
  operation,
  name,
}: {
  readonly operation: Operation;
  readonly name?: string | undefined;
}) {
  const { id, kind, status, progress, steps, createdAt, error } = operation;
  const retrying = steps.filter(step => step.status === 'RETRYING').length;
  const why = error?.detail ?? steps.find(step => step.status === 'RETRYING' || step.status === 'FAILED')?.lastError;
  const isOpen = status === 'RUNNING' || status === 'PENDING';
  return (
    <li className="operation-row">
      <div className="line">
        <Link href={`/operations/${id}`} className="strong">
          {titleOf(kind)}
          {name ? ` ${name}` : ''}
        </Link>
        <Status status={status} />
        {retrying > 0 && isOpen ? <Status status="RETRYING" count={retrying} /> : null}
        <span className="space" />
        <span className="dim">
          {progress.done} of {progress.total} steps, <Age time={createdAt} />
        </span>
      </div>
      {isOpen ? (
        <progress max={100} value={progress.percent} aria-label={`${titleOf(kind)}: ${progress.percent} percent`} />
      ) : null}
      {typeof why === 'string' && status !== 'SUCCEEDED' ? <p className="why">{why}</p> : null}
    </li>
  );
}

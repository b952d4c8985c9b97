import { Link } from 'wouter';
import { useName } from '../api/names.js';
import type { Operation } from '../api/types.js';
import { Resource } from './resource.js';
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

/** An operation in a list: what it does to what, how far it is, and how many of its steps do not go well. */
export function OperationRow({ operation }: { readonly operation: Operation }) {
  const { id, kind, status, progress, steps, createdAt, error, target, clusterId } = operation;
  const name = useName(target.type, target.id);
  const retrying = steps.filter(step => step.status === 'RETRYING').length;
  const why = error?.detail ?? steps.find(step => step.status === 'RETRYING' || step.status === 'FAILED')?.lastError;
  const isOpen = status === 'RUNNING' || status === 'PENDING';
  const isInside = clusterId !== undefined && clusterId !== target.id;
  return (
    <li className="operation-row">
      <div className="line">
        <Link href={`/operations/${id}`} className="strong">
          {titleOf(kind)} {name}
        </Link>
        <Status status={status} />
        {retrying > 0 && isOpen ? <Status status="RETRYING" count={retrying} /> : null}
        {isInside ? (
          <span className="dim">
            in <Resource type="cluster" id={clusterId} />
          </span>
        ) : null}
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

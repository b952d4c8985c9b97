import { Link } from 'wouter';
import { useName } from '../api/names.js';
import { pageOf } from '../api/resource-types.js';

interface ResourceProps {
  readonly type: string;
  readonly id: string | null | undefined;
  readonly className?: string;
}

/** A resource by its name, which leads to its page where it has one. */
export function Resource({ type, id, className }: ResourceProps) {
  const name = useName(type, id);
  if (id === null || id === undefined || id === '') return null;
  const page = pageOf(type, id);
  if (page === undefined) return <span className={className}>{name}</span>;
  return (
    <Link href={page} className={className} title={id}>
      {name}
    </Link>
  );
}

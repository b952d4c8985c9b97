import { Link } from 'wouter';
import { useMoment } from '../time/moment.js';

interface EditLinkProps {
  readonly path: string;
  /** What the form begins with. */
  readonly body: unknown;
  readonly title: string;
}

/** Leads to the form that changes a resource as JSON. There is none in the past. */
export function EditLink({ path, body, title }: EditLinkProps) {
  const [at] = useMoment();
  if (at !== undefined) return null;
  const query = new URLSearchParams({ method: 'patch', path, body: JSON.stringify(body), title });
  return (
    <Link href={`/change/request?${query}`} className="quiet" aria-label={title}>
      Change
    </Link>
  );
}

import type { ReactNode } from 'react';
import { Link } from 'wouter';

interface PageHeadProps {
  readonly title: ReactNode;
  /** What the page is a part of. */
  readonly within?: readonly (readonly [path: string, title: ReactNode])[];
  /** What can be done here. */
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
}

export function PageHead({ title, within = [], actions, children }: PageHeadProps) {
  return (
    <div className="page-head">
      {within.length > 0 ? (
        <nav aria-label="Above this page" className="crumbs">
          {within.map(([path, text]) => (
            <Link key={path} href={path}>
              {text}
            </Link>
          ))}
        </nav>
      ) : null}
      <div className="title-line">
        <h1 tabIndex={-1}>{title}</h1>
        {actions ? <div className="actions">{actions}</div> : null}
      </div>
      {children}
    </div>
  );
}

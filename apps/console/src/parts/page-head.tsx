import type { ReactNode } from 'react';
import { Link } from 'wouter';

interface PageHeadProps {
  readonly title: ReactNode;
  /** What the page is a part of. */
  readonly within?: readonly (readonly [path: string, title: string])[];
  readonly children?: ReactNode;
}

export function PageHead({ title, within = [], children }: PageHeadProps) {
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
      <h1 tabIndex={-1}>{title}</h1>
      {children}
    </div>
  );
}

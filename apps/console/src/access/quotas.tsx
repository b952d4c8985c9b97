import { useBelow } from '../api/lists.js';
import type { ProjectQuotas } from '../api/types.js';
import { ErrorState, Loading } from '../parts/states.js';
import { dimensions, titles } from './quota-titles.js';

const NEAR = 0.8;

export const useQuotas = (project: string) => useBelow<ProjectQuotas>(`/v1/projects/${project}/quotas`, [project]);

/** Limits of a project, and what of them is used. */
export function Quotas({ project, isShort = false }: { readonly project: string; readonly isShort?: boolean }) {
  const { data, error, refetch } = useQuotas(project);
  if (error) return <ErrorState error={error} retry={() => void refetch()} />;
  if (!data) return <Loading rows={3} />;
  const names = dimensions.filter(name => !isShort || data.limits[name] !== null);
  if (names.length === 0) return <p className="dim quiet-line">This project has no limits.</p>;
  return (
    <ul className="plain quotas">
      {names.map(name => {
        const [used, limit] = [data.used[name], data.limits[name]];
        const share = limit === null ? 0 : limit === 0 ? 1 : Math.min(1, used / limit);
        return (
          <li key={name}>
            <div className="line">
              <span>{titles[name]}</span>
              <span className="space" />
              <span>
                <b>{used.toLocaleString('en')}</b>{' '}
                <span className="dim">{limit === null ? 'without a limit' : `of ${limit.toLocaleString('en')}`}</span>
              </span>
            </div>
            <div className={`score-bar ${share >= 1 ? 'full' : share >= NEAR ? 'near' : ''}`} aria-hidden="true">
              <span style={{ width: `${share * 100}%` }} />
            </div>
          </li>
        );
      })}
    </ul>
  );
}

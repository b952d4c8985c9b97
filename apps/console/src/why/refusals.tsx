import { Resource } from '../parts/resource.js';

interface Refusal {
  readonly code: string;
  readonly sentence: string;
  readonly count: number;
  readonly nodes?: readonly string[];
}

const NAMED = 5;

/** How many nodes each reason rules out, the most first. */
export function Refusals({
  refusals,
  total,
  title,
}: {
  readonly refusals: readonly Refusal[];
  readonly total: number;
  readonly title: string;
}) {
  if (refusals.length === 0) return null;
  const sorted = [...refusals].sort((a, b) => b.count - a.count);
  const most = Math.max(total, ...sorted.map(({ count }) => count), 1);
  return (
    <section className="panel" aria-labelledby="refusals">
      <h2 id="refusals">{title}</h2>
      <ul className="plain refusals">
        {sorted.map(({ code, sentence, count, nodes = [] }) => (
          <li key={code}>
            <div className="line">
              <span className="refusal-count">{count}</span>
              <span className="strong">{sentence}</span>
              <span className="space" />
              <code className="dim">{code}</code>
            </div>
            <div className="score-bar refusal-bar" aria-hidden="true">
              <span style={{ width: `${(count / most) * 100}%` }} />
            </div>
            {nodes.length > 0 ? (
              <p className="names">
                {nodes.slice(0, NAMED).map(id => (
                  <Resource key={id} type="node" id={id} />
                ))}
                {count > Math.min(NAMED, nodes.length) ? (
                  <span className="dim">and {count - Math.min(NAMED, nodes.length)} more</span>
                ) : null}
              </p>
            ) : null}
          </li>
        ))}
      </ul>
    </section>
  );
}

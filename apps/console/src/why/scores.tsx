import { wordsOf } from '../parts/words.js';
import type { Container } from '../api/types.js';
import { Resource } from '../parts/resource.js';

type Placement = NonNullable<Container['placement']>;
type Score = NonNullable<Placement['scores']>[number];

const rounded = (value: number): string => value.toFixed(3);

function ScoreRow({
  score,
  parts,
  isChosen,
}: {
  readonly score: Score;
  readonly parts: readonly string[];
  readonly isChosen: boolean;
}) {
  return (
    <tr className={isChosen ? 'chosen' : undefined}>
      <th scope="row">
        <Resource type="node" id={score.nodeId} /> {isChosen ? <span className="tag">chosen</span> : null}
      </th>
      <td className="score-total">
        <b>{rounded(score.total)}</b>
      </td>
      {parts.map(part => {
        const value = score.parts[part] ?? 0;
        return (
          <td key={part}>
            <span className="score">
              <span>{rounded(value)}</span>
              <span className="score-bar" aria-hidden="true">
                <span style={{ width: `${Math.max(0, Math.min(1, value)) * 100}%` }} />
              </span>
            </span>
          </td>
        );
      })}
    </tr>
  );
}

/** The nodes that were considered last, by their score: nodes and the parts of their scores. */
export function Scores({ placement }: { readonly placement: Placement }) {
  const { scores = [], nodeId, at, policy } = placement;
  if (scores.length === 0) return null;
  const parts = [...new Set(scores.flatMap(score => Object.keys(score.parts)))];
  const sorted = [...scores].sort(
    (a, b) => Number(b.nodeId === nodeId) - Number(a.nodeId === nodeId) || b.total - a.total,
  );
  return (
    <section className="panel" aria-labelledby="scores">
      <h2 id="scores">Why this node</h2>
      <div className="wide" tabIndex={0} role="group" aria-label="Scores of nodes">
        <table className="scores">
          <thead>
            <tr>
              <th scope="col">Node</th>
              <th scope="col">Total</th>
              {parts.map(part => (
                <th scope="col" key={part}>
                  {wordsOf(part)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {sorted.map(score => (
              <ScoreRow key={score.nodeId} isChosen={score.nodeId === nodeId} {...{ score, parts }} />
            ))}
          </tbody>
        </table>
      </div>
      <p className="dim note">
        The best {scores.length} at that time{at === undefined ? '' : `, ${new Date(at).toLocaleString()}`}
        {policy === undefined ? '' : `, by the policy ${policy}`}.
      </p>
    </section>
  );
}

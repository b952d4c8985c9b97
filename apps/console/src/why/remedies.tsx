import type { ChangeRequest } from '../api/any-path.js';
import type { Explanation } from '../api/types.js';
import { ChangeButton } from '../changes/change-button.js';
import { Resource } from '../parts/resource.js';
import { useMoment } from '../time/moment.js';

type Remedy = Explanation['remedies'][number];
type Action = Remedy['actions'][number];

const methods = { POST: 'post', PATCH: 'patch', PUT: 'put', DELETE: 'delete' } as const;

const requestOf = ({ method, path, body }: Action): ChangeRequest => ({
  method: methods[method],
  path,
  ...(body === undefined ? {} : { body }),
});

function RemedyLine({ remedy }: { readonly remedy: Remedy }) {
  const { sentence, actions, nodeId, places } = remedy;
  return (
    <li>
      <div className="line">
        <span className="strong">{sentence}</span>
        {nodeId === undefined ? null : (
          <span className="dim">
            then <Resource type="node" id={nodeId} /> takes {places === 1 ? 'it' : places}
          </span>
        )}
      </div>
      <ol className="plain remedy-steps">
        {actions.map((action, index) => (
          <li key={`${action.path}${index}`} className="line">
            <code className="wrap">
              {action.method} {action.path}
              {action.body === undefined ? '' : ` ${JSON.stringify(action.body)}`}
            </code>
            <span className="space" />
            <ChangeButton
              label={actions.length > 1 ? `Plan step ${index + 1}` : 'Plan this'}
              title={actions.length > 1 ? `Step ${index + 1}: ${sentence}` : sentence}
              request={requestOf(action)}
            />
          </li>
        ))}
      </ol>
    </li>
  );
}

const nothingFound = (complete: boolean): string =>
  complete
    ? 'No set of up to three changes would help.'
    : 'The search ended before it found a change that would help. Open the page again to repeat it.';

/** Changes after which the placement itself has found a node, the cheapest first, each with its plan. */
export function Remedies({ explanation }: { readonly explanation: Explanation }) {
  const [at] = useMoment();
  const { remedies, search, position } = explanation;
  if (at !== undefined) return null;
  return (
    <section className="panel" aria-labelledby="remedies">
      <h2 id="remedies">What would help</h2>
      {remedies.length === 0 ? (
        <p className="dim quiet-line">{position === null ? 'Nothing is needed.' : nothingFound(search.complete)}</p>
      ) : (
        <ul className="plain">
          {remedies.map(remedy => (
            <RemedyLine key={`${remedy.sentence}${remedy.nodeId ?? ''}`} remedy={remedy} />
          ))}
        </ul>
      )}
      {remedies.length > 0 ? (
        <p className="dim note">
          Each was tried on the present state
          {search.complete ? ', and nothing cheaper exists' : '; the search was cut short'}.
        </p>
      ) : null}
    </section>
  );
}

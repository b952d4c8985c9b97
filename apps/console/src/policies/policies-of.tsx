import { useBelow } from '../api/lists.js';
import { resourceTypes } from '../api/resource-types.js';
import type { PoliciesOfTarget } from '../api/types.js';
import { Resource } from '../parts/resource.js';
import { CommandLine, Empty, ErrorState, Loading } from '../parts/states.js';
import { wordsOf } from '../parts/words.js';
import { OnlyNow } from '../time/time-bar.js';
import { AttachmentDialog } from './attachment-dialog.js';
import { AttachmentLine } from './attachment-line.js';
import type { TargetType } from './targets.js';
import { shell } from '../parts/shell-command.js';

type Effective = PoliciesOfTarget['effective'][string];

function EffectiveOf({ type, effective }: { readonly type: string; readonly effective: Effective }) {
  const own = Object.entries(effective.properties);
  return (
    <section className="panel" aria-label={`What holds of ${wordsOf(type)}`}>
      <h2>{wordsOf(type)}</h2>
      <div className="wide" tabIndex={0} role="group" aria-label={`Properties of ${wordsOf(type)}`}>
        <table className="scores">
          <thead>
            <tr>
              <th scope="col">Property</th>
              <th scope="col">Value</th>
              <th scope="col">From</th>
            </tr>
          </thead>
          <tbody>
            {own.map(([name, { value, source }]) => (
              <tr key={name}>
                <th scope="row">{wordsOf(name)}</th>
                <td>
                  <code className="wrap">{JSON.stringify(value)}</code>
                </td>
                <td>
                  {source === null ? (
                    <span className="dim">default</span>
                  ) : (
                    <>
                      <Resource type="policy" id={source.policyId} /> <span className="dim">of</span>{' '}
                      <Resource type={source.target.type} id={source.target.id} />
                    </>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {effective.rules.map(({ property, rule, value, source }) => (
        <p key={`${property}${rule}${source.policyId}`} className="dim">
          Rule: {wordsOf(property)} {rule} <code className="wrap">{JSON.stringify(value)}</code>, by{' '}
          <Resource type="policy" id={source.policyId} />
        </p>
      ))}
    </section>
  );
}

interface PoliciesOfProps {
  readonly type: TargetType;
  readonly id: string;
  readonly name: string;
}

/** The policies that are attached to a resource, and what they and those of what it is in result in. */
export function PoliciesOf({ type, id, name }: PoliciesOfProps) {
  const { data, error, refetch } = useBelow<PoliciesOfTarget>(`${resourceTypes[type]?.list}/${id}/policies`, [id]);
  if (error) return <ErrorState error={error} retry={() => void refetch()} />;
  if (!data) return <Loading />;
  const effective = Object.entries(data.effective);
  return (
    <>
      <OnlyNow>Policies are shown as they are now.</OnlyNow>
      <div className="toolbar actions">
        <AttachmentDialog
          label="Attach a policy"
          title={`Attach a policy to ${name}`}
          targetType={type}
          targetId={id}
          choose={['policy']}
        />
      </div>
      {data.items.length === 0 ? <p className="dim quiet-line">None is attached to this itself.</p> : null}
      {data.items.length === 0 ? null : (
        <section className="panel" aria-label="Attached policies">
          <h2>Attached</h2>
          <ul className="plain">
            {data.items.map(attachment => (
              <AttachmentLine key={attachment.id} attachment={attachment} title={name}>
                <Resource type="policy" id={attachment.id} className="strong" />
                <span>{attachment.type}</span>
              </AttachmentLine>
            ))}
          </ul>
        </section>
      )}
      {effective.length === 0 ? <Empty title="No policy holds here: defaults do" /> : null}
      {effective.map(([kind, one]) => (
        <EffectiveOf key={kind} type={kind} effective={one} />
      ))}
      <CommandLine>{shell`stave policies list`}</CommandLine>
    </>
  );
}

import type { PlanDocument } from '@stave/client';
import { Resource } from '../parts/resource.js';

/** What each action is marked with, beside its colour. */
export const signs: Readonly<Record<string, string>> = {
  create: '+',
  keep: '=',
  change: '~',
  replace: '±',
  remove: '−',
};
/** Members that every change has. */
const accompanying = new Set(['/revision', '/status', '/updatedAt', '/generation']);
const SHOWN = 40;

type Step = PlanDocument['steps'][number];
type Change = PlanDocument['diff'][number];

const text = (value: unknown): string => (value === undefined ? 'none' : JSON.stringify(value));

/** A part of a plan in a line, and which of the actions it is. */
export interface PlanLine {
  readonly action: string;
  readonly text: string;
}

/** A change of a member in a line, such as `count 1 → 3`. */
const changeLine = ({ pointer, from, to, resource }: Change): PlanLine => ({
  action: 'change',
  text: `${resource?.name ? `${resource.name} ` : ''}${pointer.slice(1).replaceAll('/', '.')} ${text(from)} → ${text(to)}`,
});

/** What happens to a resource in a line, such as `replace w-0 by w-3`. */
const stepLine = ({ action, resource, by, reason }: Step): PlanLine => ({
  action,
  text: [action, resource.name ?? resource.type, by === undefined ? '' : `by ${by}`, reason ?? '']
    .filter(Boolean)
    .join(' '),
});

const changesOf = ({ diff }: PlanDocument): readonly Change[] =>
  diff.filter(({ pointer }) => !accompanying.has(pointer));

/** Everything that a plan changes, in lines. */
export const linesOf = (plan: PlanDocument): readonly PlanLine[] => [
  ...changesOf(plan).map(changeLine),
  ...plan.steps.filter(({ action }) => action !== 'keep').map(stepLine),
];

function Changes({ plan }: { readonly plan: PlanDocument }) {
  const changes = changesOf(plan);
  return (
    <ul className="plain plan-changes">
      {changes.slice(0, SHOWN).map(({ pointer, from, to, resource }, index) => (
        <li key={`${resource?.id ?? ''}${pointer}${index}`}>
          {resource?.name ? <span className="dim">{resource.name} </span> : null}
          <code>{pointer.slice(1).replaceAll('/', '.')}</code> <del>{text(from)}</del> → <ins>{text(to)}</ins>
        </li>
      ))}
      {changes.length > SHOWN ? <li className="dim">and {changes.length - SHOWN} more members</li> : null}
      {changes.length === 0 ? <li className="dim">No member of it changes.</li> : null}
    </ul>
  );
}

function Work({ steps }: { readonly steps: readonly Step[] }) {
  const work = steps.filter(({ action }) => action !== 'keep');
  const numbers = Object.keys(signs).map(
    action => [action, steps.filter(step => step.action === action).length] as const,
  );
  return (
    <>
      <p className="plan-numbers">
        {numbers.map(([action, number]) =>
          number === 0 ? null : (
            <span key={action} className={`plan-${action}`}>
              <b aria-hidden="true">{signs[action]}</b> {number} {action}
            </span>
          ),
        )}
      </p>
      <ul className="plain plan-steps">
        {work.slice(0, SHOWN).map(({ action, resource, reason, by, failed }, index) => (
          <li key={`${resource.id ?? resource.name ?? ''}${index}`} className={`plan-${action}`}>
            <b aria-label={action}>{signs[action]}</b> {resource.name ?? resource.type}
            {by === undefined ? '' : ` → ${by}`}{' '}
            <span className="dim">{[reason, failed ? 'it had failed' : ''].filter(Boolean).join(', ')}</span>
          </li>
        ))}
        {work.length > SHOWN ? <li className="dim">and {work.length - SHOWN} more</li> : null}
        {work.length === 0 ? <li className="dim">Nothing on the infrastructure changes.</li> : null}
      </ul>
    </>
  );
}

function Placements({ placements = [] }: Pick<PlanDocument, 'placements'>) {
  if (placements.length === 0) return null;
  return (
    <>
      <h3>Where containers go</h3>
      <ul className="plain">
        {placements.slice(0, SHOWN).map(({ name, nodeId }) => (
          <li key={name}>
            {name} → {nodeId === null ? <b>waits: no node can take it</b> : <Resource type="node" id={nodeId} />}
          </li>
        ))}
      </ul>
    </>
  );
}

/** What a change would do: what changes, what happens to which resource, and what stands against it. */
export function PlanView({ plan }: { readonly plan: PlanDocument }) {
  const { steps, quotas = [], violations = [], explanation, placements, unsettled } = plan;
  return (
    <section className="plan" aria-label="Plan">
      <h3>Changes</h3>
      <Changes plan={plan} />
      <h3>Work</h3>
      <Work steps={steps} />
      <Placements {...(placements ? { placements } : {})} />
      {quotas.map(({ name, limit, used, asked }) => (
        <p key={name} className={used + asked > limit ? 'why bad' : 'dim'}>
          Quota {name}: {used} of {limit} used, {asked >= 0 ? `+${asked}` : asked}
        </p>
      ))}
      {[...violations, ...(explanation?.refusals ?? [])].map(({ code, sentence, count }) => (
        <p key={code} className="why">
          {sentence} <span className="dim">({count})</span>
        </p>
      ))}
      {unsettled === undefined ? null : <p className="reason">This plan cannot be bound to the change: {unsettled}</p>}
    </section>
  );
}

import { Button, TextInput } from '@mantine/core';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import type { ChangeRequest } from '../api/any-path.js';
import { ErrorState } from '../parts/states.js';
import { PlanView, signs, type PlanLine } from './plan-view.js';
import type { Difference, Planning } from './use-plan.js';

interface StaleLinesProps {
  readonly title: string;
  readonly lines: readonly PlanLine[];
  readonly isGone?: boolean;
}

function StaleLines({ title, lines, isGone = false }: StaleLinesProps) {
  if (lines.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul className={isGone ? 'plain plan-lines gone' : 'plain plan-lines'} aria-label={title}>
        {lines.map(({ action, text }) => (
          <li key={text} className={`plan-${action}`}>
            <b aria-hidden="true">{signs[action]}</b> {isGone ? <del>{text}</del> : text}
          </li>
        ))}
      </ul>
    </>
  );
}

/** How the plan of now differs. A line has the sign and the colour of what it does; what is not done any more is struck out, without a colour. */
function Stale({ difference: { gone, added } }: { readonly difference: Difference }) {
  return (
    <div role="alert" className="reason stale">
      <p>The state has moved since the plan was made. This is the plan of now.</p>
      {gone.length + added.length === 0 ? <p className="dim">It does the same, from another state.</p> : null}
      <StaleLines title="Not in the plan any more" lines={gone} isGone />
      <StaleLines title="New in the plan" lines={added} />
    </div>
  );
}

/** A change that takes away what does not come back. */
interface Danger {
  /** What it does, such as `Delete`. */
  readonly verb: string;
  /** The name of what takes others with it, which is typed before the change is made. */
  readonly typed?: string;
}

interface TypedNameProps {
  readonly name: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
}

/** Asks for a name. Whoever does not see the button become active hears of it. */
function TypedName({ name, text, onChange }: TypedNameProps) {
  const field = useRef<HTMLInputElement>(null);
  // the dialog is open before the plan is there
  useEffect(() => field.current?.focus(), []);
  return (
    <div className="typed-name">
      <TextInput
        label={
          <>
            Type <code>{name}</code> to confirm
          </>
        }
        description="Everything in it goes with it, and does not come back."
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        ref={field}
        value={text}
        onChange={event => onChange(event.currentTarget.value)}
      />
      <p role="status" className="only-read">
        {text === name ? 'This is the name. The change can be made.' : ''}
      </p>
    </div>
  );
}

interface FormEndProps {
  readonly title: string;
  readonly isDanger: boolean;
  readonly isBusy: boolean;
  readonly isDisabled: boolean;
  readonly close: (() => void) | undefined;
}

const FormEnd = ({ title, isDanger, isBusy, isDisabled, close }: FormEndProps) => (
  <div className="form-end">
    {close ? (
      <Button variant="default" onClick={close}>
        Close
      </Button>
    ) : null}
    <Button type="submit" loading={isBusy} disabled={isDisabled} {...(isDanger ? { className: 'danger' } : {})}>
      {title}
    </Button>
  </div>
);

interface PlannedChangeProps {
  readonly planning: Planning;
  /** The change that is asked for; undefined while it is not complete. */
  readonly request: ChangeRequest | undefined;
  readonly children?: ReactNode;
  readonly close?: () => void;
  readonly danger?: Danger;
}

/** A form whose change is planned first, and then made exactly as planned. What is typed after the plan makes it void. */
export function PlannedChange({ planning, request, children, close, danger }: PlannedChangeProps) {
  const { plan, error, difference, isBusy, ask, apply } = planning;
  const [name, setName] = useState('');
  const isConfirmed = danger?.typed === undefined || name === danger.typed;
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [error]);
  useEffect(() => {
    // a button loses the focus while its request is on the way
    if (plan && !isBusy && document.activeElement === document.body)
      form.current?.querySelector<HTMLElement>('[type=submit]')?.focus();
  }, [plan, isBusy]);
  return (
    <form
      ref={form}
      onSubmit={event => {
        event.preventDefault();
        if (plan && isConfirmed) void apply();
        else if (!plan && request) void ask(request);
      }}
    >
      {children}
      {difference ? <Stale difference={difference} /> : null}
      {error ? <ErrorState error={error} /> : null}
      {plan ? <PlanView plan={plan} /> : null}
      {plan && danger?.typed !== undefined ? <TypedName name={danger.typed} text={name} onChange={setName} /> : null}
      <FormEnd
        title={plan ? `${danger?.verb ?? 'Apply'} exactly this` : 'Plan'}
        isDanger={danger !== undefined}
        isDisabled={plan ? !isConfirmed : !request}
        {...{ isBusy, close }}
      />
    </form>
  );
}

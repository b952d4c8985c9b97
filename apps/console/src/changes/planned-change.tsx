import { Button } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';
import type { ChangeRequest } from '../api/any-path.js';
import { ErrorState } from '../parts/states.js';
import { PlanView } from './plan-view.js';
import type { Difference, Planning } from './use-plan.js';

function Stale({ difference: { gone, added } }: { readonly difference: Difference }) {
  return (
    <div role="alert" className="reason stale">
      <p>The state has moved since the plan was made. This is the plan of now.</p>
      {gone.length + added.length === 0 ? <p className="dim">It does the same, from another state.</p> : null}
      <ul className="plain">
        {gone.map(line => (
          <li key={line}>
            <del>{line}</del>
          </li>
        ))}
        {added.map(line => (
          <li key={line}>
            <ins>{line}</ins>
          </li>
        ))}
      </ul>
    </div>
  );
}

interface PlannedChangeProps {
  readonly planning: Planning;
  /** The change that is asked for; undefined while it is not complete. */
  readonly request: ChangeRequest | undefined;
  readonly children?: ReactNode;
  readonly close?: () => void;
}

/** A form whose change is planned first, and then made exactly as planned. What is typed after the plan makes it void. */
export function PlannedChange({ planning, request, children, close }: PlannedChangeProps) {
  const { plan, error, difference, isBusy, ask, apply } = planning;
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
        if (plan) void apply();
        else if (request) void ask(request);
      }}
    >
      {children}
      {difference ? <Stale difference={difference} /> : null}
      {error ? <ErrorState error={error} /> : null}
      {plan ? <PlanView plan={plan} /> : null}
      <div className="form-end">
        {close ? (
          <Button variant="default" onClick={close}>
            Close
          </Button>
        ) : null}
        <Button type="submit" loading={isBusy} disabled={!plan && !request}>
          {plan ? 'Apply exactly this' : 'Plan'}
        </Button>
      </div>
    </form>
  );
}

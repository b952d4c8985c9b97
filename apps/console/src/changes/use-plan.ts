import { ProblemError, type Plan, type PlanDocument } from '@stave/client';
import { useState } from 'react';
import { planned, type ChangeRequest } from '../api/any-path.js';
import { linesOf, type PlanLine } from './plan-view.js';

/** What is in one plan and not in the other, in lines. */
export interface Difference {
  readonly gone: readonly PlanLine[];
  readonly added: readonly PlanLine[];
}

/** Compares two plans of the same change. */
export function differenceOf(before: PlanDocument, after: PlanDocument): Difference {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const lacking = (lines: readonly PlanLine[], others: readonly PlanLine[]): readonly PlanLine[] =>
    lines.filter(({ text }) => !others.some(other => other.text === text));
  return { gone: lacking(old, fresh), added: lacking(fresh, old) };
}

export interface Planning {
  readonly plan: PlanDocument | undefined;
  readonly error: Error | undefined;
  /** How the plan of now differs from the one that was to be applied and is stale. */
  readonly difference: Difference | undefined;
  readonly isBusy: boolean;
  /** Asks for the plan of a change. */
  readonly ask: (request: ChangeRequest) => Promise<void>;
  /** Makes exactly the planned change; where the state has moved, asks for the plan of now. */
  readonly apply: () => Promise<void>;
  readonly forget: () => void;
}

/** The answer to a change that was made. */
export interface Applied {
  readonly operationId: string | undefined;
  readonly data: unknown;
}

/** A change on its way: its request, its plan, and what was answered. */
export function usePlan(applied: (answer: Applied) => void): Planning {
  const [current, setCurrent] = useState<{ readonly request: ChangeRequest; readonly plan: Plan<unknown> }>();
  const [error, setError] = useState<Error>();
  const [difference, setDifference] = useState<Difference>();
  const [isBusy, setBusy] = useState(false);
  const during = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setError(undefined);
    setDifference(undefined);
    await work().catch((refusal: unknown) => setError(refusal as Error));
    setBusy(false);
  };
  const ask = (request: ChangeRequest): Promise<void> =>
    during(async () => setCurrent({ request, plan: await planned(request) }));
  const apply = (): Promise<void> =>
    during(async () => {
      if (!current) return;
      const { request, plan } = current;
      try {
        const { operationId, data } = await plan.apply();
        setCurrent(undefined);
        applied({ operationId, data });
      } catch (refusal) {
        if (!(refusal instanceof ProblemError) || refusal.code !== 'plan-stale') throw refusal;
        const fresh = await planned(request);
        setCurrent({ request, plan: fresh });
        setDifference(differenceOf(plan.data, fresh.data));
      }
    });
  const forget = (): void => {
    setCurrent(undefined);
    setError(undefined);
    setDifference(undefined);
  };
  return { plan: current?.plan.data, error, difference, isBusy, ask, apply, forget };
}

import { Button, Modal, NumberInput } from '@mantine/core';
import { ProblemError, type Plan } from '@stave/client';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Cluster, NodeGroup } from '../api/types.js';
import { ErrorState } from '../parts/states.js';
import { session } from '../session/session.js';

const signs: Readonly<Record<string, string>> = { create: '+', keep: '=', change: '~', replace: '±', remove: '−' };
/** Members that every change has. */
const accompanying = new Set(['/revision', '/status', '/updatedAt', '/generation']);
const SHOWN = 40;
/** The most that the API takes. */
const MAX_COUNT = 10_000;

const text = (value: unknown): string => (value === undefined ? 'none' : JSON.stringify(value));

function PlanView({ plan }: { readonly plan: Plan<unknown> }) {
  const { diff, steps } = plan.data;
  const work = steps.filter(({ action }) => action !== 'keep');
  const changes = diff.filter(({ pointer }) => !accompanying.has(pointer));
  return (
    <div className="plan" aria-label="Plan">
      <h3>Changes</h3>
      <ul className="plain">
        {changes.map(({ pointer, from, to }) => (
          <li key={pointer}>
            <code>{pointer.slice(1).replaceAll('/', '.')}</code> {text(from)} → <b>{text(to)}</b>
          </li>
        ))}
        {changes.length === 0 ? <li className="dim">Nothing changes.</li> : null}
      </ul>
      <h3>Work</h3>
      <ul className="plain plan-steps">
        {work.slice(0, SHOWN).map(({ action, resource, reason, by }, index) => (
          <li key={`${resource.id ?? resource.name ?? index}`} className={`plan-${action}`}>
            <b aria-label={action}>{signs[action]}</b> {resource.name ?? resource.type}
            {by === undefined ? '' : ` → ${by}`} <span className="dim">{reason}</span>
          </li>
        ))}
        {work.length > SHOWN ? <li className="dim">and {work.length - SHOWN} more</li> : null}
        {work.length === 0 ? <li className="dim">Nothing on the infrastructure changes.</li> : null}
      </ul>
      <p className="dim">{steps.length - work.length} nodes stay as they are.</p>
    </div>
  );
}

interface ResizeProps {
  readonly cluster: Cluster;
  readonly group: NodeGroup;
  readonly close: () => void;
}

/** The change under way: its plan, and what was answered. */
function useResize({ cluster, group, close }: ResizeProps) {
  const [, navigate] = useLocation();
  // undefined: the field is empty, which is no size, least of all none at all
  const [count, setWanted] = useState<number | undefined>(group.count);
  const [plan, setPlan] = useState<Plan<unknown>>();
  const [error, setError] = useState<Error>();
  const [isStale, setStale] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const ask = async (): Promise<void> => {
    const path = { clusterId: cluster.id, id: group.id };
    setPlan(await session.client.plan('patch', '/v1/clusters/{clusterId}/node-groups/{id}', { path, body: { count } }));
  };
  const apply = async (planned: Plan<unknown>): Promise<void> => {
    try {
      const { operationId } = await planned.apply();
      close();
      if (operationId !== undefined) navigate(`/operations/${operationId}`);
    } catch (refusal) {
      if (!(refusal instanceof ProblemError) || refusal.code !== 'plan-stale') throw refusal;
      await ask();
      setStale(true);
    }
  };
  const submit = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    setStale(false);
    await (plan ? apply(plan) : ask()).catch((refusal: unknown) => setError(refusal as Error));
    setBusy(false);
  };
  const setCount = (value: number | string): void => {
    setWanted(value === '' ? undefined : Number(value));
    setPlan(undefined);
  };
  return { count, setCount, plan, error, isStale, isBusy, submit };
}

/** Asks for a size, shows the plan, and makes exactly that change: when the state has moved since, it is refused and planned anew. */
function ResizeForm(props: ResizeProps) {
  const { group, close } = props;
  const { count, setCount, plan, error, isStale, isBusy, submit } = useResize(props);
  return (
    <form
      onSubmit={event => {
        event.preventDefault();
        void submit();
      }}
    >
      <NumberInput
        label={`Nodes of ${group.name}`}
        value={count ?? ''}
        min={0}
        max={MAX_COUNT}
        allowDecimal={false}
        data-autofocus
        onChange={setCount}
      />
      {isStale ? (
        <p role="alert" className="reason">
          The state has moved since the plan was made. This is the plan of now.
        </p>
      ) : null}
      {error ? <ErrorState error={error} /> : null}
      {plan ? <PlanView plan={plan} /> : null}
      <div className="form-end">
        <Button variant="default" onClick={close}>
          Close
        </Button>
        <Button type="submit" loading={isBusy} disabled={count === undefined || (!plan && count === group.count)}>
          {plan ? 'Apply exactly this' : 'Plan'}
        </Button>
      </div>
    </form>
  );
}

export function ResizeGroup({ cluster, group }: { readonly cluster: Cluster; readonly group: NodeGroup }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="quiet" onClick={() => setOpen(true)} aria-label={`Resize ${group.name}`}>
        Resize
      </button>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={`Resize ${cluster.name}/${group.name}`}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <ResizeForm close={() => setOpen(false)} {...{ cluster, group }} />
      </Modal>
    </>
  );
}

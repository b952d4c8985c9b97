import { Modal, NumberInput } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { ChangeRequest } from '../api/any-path.js';
import { CommandLine } from '../parts/states.js';
import { PlannedChange } from './planned-change.js';
import { usePlan } from './use-plan.js';
import { type ShellCommand } from '../parts/shell-command.js';

/** The most that the API takes. */
const MAX_COUNT = 10_000;

interface NumberDialogProps {
  /** Of the button, such as `Resize workers`. */
  readonly buttonTitle: string;
  readonly title: string;
  /** Of the field, such as `Nodes of workers`. */
  readonly label: string;
  readonly present: number;
  readonly request: (count: number) => ChangeRequest;
  readonly command: (count: number) => ShellCommand;
}

function NumberForm(props: NumberDialogProps & { readonly close: () => void }) {
  const { label, present, request, command, close } = props;
  const [, navigate] = useLocation();
  // undefined: the field is empty, which is no size, least of all none at all
  const [count, setCount] = useState<number | undefined>(present);
  const planning = usePlan(({ operationId }) => {
    close();
    if (operationId !== undefined) navigate(`/operations/${operationId}`);
  });
  const isChange = count !== undefined && count !== present;
  return (
    <PlannedChange request={isChange ? request(count) : undefined} {...{ planning, close }}>
      <NumberInput
        label={label}
        value={count ?? ''}
        min={0}
        max={MAX_COUNT}
        clampBehavior="none"
        allowDecimal={false}
        data-autofocus
        onChange={value => {
          setCount(value === '' ? undefined : Number(value));
          planning.forget();
        }}
      />
      <CommandLine>{command(count ?? present)}</CommandLine>
    </PlannedChange>
  );
}

/** Asks for a size, shows the plan, and makes exactly that change: when the state has moved since, it is refused and planned anew. */
export function NumberDialog(props: NumberDialogProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="quiet" onClick={() => setOpen(true)} aria-label={props.buttonTitle}>
        Resize
      </button>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={props.title}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <NumberForm close={() => setOpen(false)} {...props} />
      </Modal>
    </>
  );
}

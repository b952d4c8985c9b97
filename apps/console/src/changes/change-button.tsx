import { Modal } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import type { ChangeRequest } from '../api/any-path.js';
import { useMoment } from '../time/moment.js';
import { CommandLine } from '../parts/states.js';
import { PlannedChange } from './planned-change.js';
import { usePlan } from './use-plan.js';
import { type ShellCommand } from '../parts/shell-command.js';

interface ChangeButtonProps {
  readonly label: string;
  /** Says what is changed, such as `Restart web-1`. */
  readonly title: string;
  readonly request: ChangeRequest;
  readonly command?: ShellCommand;
  /** Whether it takes away what does not come back; default: whether it deletes. */
  readonly isDanger?: boolean;
  /** The name of what takes others with it, which is typed before the change is made. */
  readonly typed?: string;
  /** Where to go afterwards where no operation does the work. */
  readonly then?: string;
  readonly children?: ReactNode;
}

const isDangerous = ({ isDanger, request }: ChangeButtonProps): boolean => isDanger ?? request.method === 'delete';

function ChangeDialog(props: ChangeButtonProps & { readonly close: () => void }) {
  const { label, request, command, typed, then, children, close } = props;
  const [, navigate] = useLocation();
  const cache = useQueryClient();
  const planning = usePlan(({ operationId }) => {
    close();
    // lists of keys and members have no events that the stream shows
    void cache.invalidateQueries({ queryKey: ['below'] });
    if (operationId !== undefined) navigate(`/operations/${operationId}`);
    else if (then !== undefined) navigate(then);
  });
  useEffect(() => {
    void planning.ask(request);
  }, []);
  return (
    <PlannedChange
      {...{ planning, request, close }}
      {...(isDangerous(props) ? { danger: { verb: label, ...(typed === undefined ? {} : { typed }) } } : {})}
    >
      {children}
      {command ? <CommandLine>{command}</CommandLine> : null}
    </PlannedChange>
  );
}

/** A button whose change shows its plan at once, and is made exactly as planned. There is none in the past. */
export function ChangeButton(props: ChangeButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const [at] = useMoment();
  if (at !== undefined) return null;
  return (
    <>
      <button
        type="button"
        className={isDangerous(props) ? 'quiet danger' : 'quiet'}
        onClick={() => setOpen(true)}
        aria-label={props.title}
      >
        {props.label}
      </button>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={props.title}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <ChangeDialog close={() => setOpen(false)} {...props} />
      </Modal>
    </>
  );
}

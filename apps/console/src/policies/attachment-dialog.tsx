import { Modal, NumberInput, Select, Switch } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { PlannedChange } from '../changes/planned-change.js';
import { usePlan } from '../changes/use-plan.js';
import { fieldError } from '../forms/field-error.js';
import { ErrorState } from '../parts/states.js';
import { capitalised } from '../parts/words.js';
import { resourceTypes } from '../api/resource-types.js';
import { useMoment } from '../time/moment.js';
import { attachmentPath, useChoices } from './targets.js';

/** A policy and what it is attached to; the side that is absent is chosen in the dialog. */
interface Ends {
  readonly policy?: string;
  readonly targetType?: string;
  readonly targetId?: string;
}

interface AttachmentDialogProps extends Ends {
  readonly label: string;
  readonly title: string;
  /** The types among which one is chosen: of targets, or `policy`. */
  readonly choose?: readonly string[];
  readonly enabled?: boolean;
  readonly priority?: number;
}

interface ChoiceProps {
  readonly types: readonly string[];
  readonly choose: (type: string, id: string | undefined) => void;
}

function Chooser({ types, choose }: ChoiceProps) {
  const [type, setType] = useState(types[0] ?? '');
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<{ readonly value: string; readonly label: string }>();
  // the text of a group is `cluster/name`, and its name is what the API searches
  const start = chosen?.label === text ? '' : (text.split('/').at(-1) ?? '');
  const { data = [], error, isPending } = useChoices(type, start);
  return (
    <>
      {types.length > 1 ? (
        <Select
          label="To a"
          data={types.map(one => ({ value: one, label: resourceTypes[one]?.title ?? one }))}
          value={type}
          allowDeselect={false}
          onChange={next => {
            setType(next ?? type);
            setChosen(undefined);
            setText('');
            choose(next ?? type, undefined);
          }}
        />
      ) : null}
      <Select
        key={type}
        label={capitalised(resourceTypes[type]?.title ?? type)}
        data-autofocus
        searchable
        openOnFocus={false}
        data={chosen && !data.some(({ value }) => value === chosen.value) ? [chosen, ...data] : [...data]}
        value={chosen?.value ?? null}
        searchValue={text}
        onSearchChange={setText}
        nothingFoundMessage={isPending ? 'Reading…' : 'None with this name'}
        filter={({ options }) => options}
        onChange={value => {
          setChosen(data.find(one => one.value === value));
          choose(type, value ?? undefined);
        }}
      />
      {error ? <ErrorState error={error} /> : null}
    </>
  );
}

function AttachmentForm(props: AttachmentDialogProps & { readonly close: () => void }) {
  const { close, choose: types } = props;
  const cache = useQueryClient();
  const [ends, setEnds] = useState<Ends>(props);
  const [enabled, setEnabled] = useState(props.enabled ?? true);
  const [priority, setPriority] = useState<number | undefined>(props.priority ?? 100);
  const planning = usePlan(() => {
    void cache.invalidateQueries({ queryKey: ['below'] });
    close();
  });
  const { policy, targetType, targetId } = ends;
  const isComplete = policy !== undefined && targetType !== undefined && targetId !== undefined;
  const body = { enabled, ...(priority === undefined ? {} : { priority }) };
  const isSame = !types && enabled === props.enabled && priority === props.priority;
  const request =
    isComplete && !isSame
      ? ({ method: 'put', path: attachmentPath(targetType, targetId, policy), body } as const)
      : undefined;
  return (
    <PlannedChange {...{ planning, request, close }}>
      <div className="stack">
        {types ? (
          <Chooser
            types={types}
            choose={(type, id) => {
              planning.forget();
              setEnds(type === 'policy' ? { ...props, policy: id } : { ...props, targetType: type, targetId: id });
            }}
          />
        ) : null}
        <NumberInput
          label="Priority"
          description="0 to 1,000; of two policies for the same target the higher one holds"
          min={0}
          max={1000}
          allowDecimal={false}
          clampBehavior="none"
          placeholder="100"
          value={priority ?? ''}
          error={fieldError(planning.error, '/priority')}
          onChange={value => {
            planning.forget();
            setPriority(value === '' ? undefined : Number(value));
          }}
        />
        <Switch
          label="Enabled"
          description="one that is switched off stays attached and counts for nothing"
          checked={enabled}
          onChange={event => {
            planning.forget();
            setEnabled(event.currentTarget.checked);
          }}
        />
      </div>
    </PlannedChange>
  );
}

/** A button for an attachment: which policy, to what, with which priority. It is planned before it is made; there is none in the past. */
export function AttachmentDialog(props: AttachmentDialogProps) {
  const [isOpen, setOpen] = useState(false);
  const [at] = useMoment();
  if (at !== undefined) return null;
  const close = (): void => setOpen(false);
  return (
    <>
      <button type="button" className="quiet" onClick={() => setOpen(true)} aria-label={props.title}>
        {props.label}
      </button>
      <Modal opened={isOpen} onClose={close} title={props.title} closeButtonProps={{ 'aria-label': 'Close' }}>
        <AttachmentForm {...props} close={close} />
      </Modal>
    </>
  );
}

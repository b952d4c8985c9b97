import { Textarea, SegmentedControl } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import type { ChangeRequest } from '../api/any-path.js';
import { jsonOf } from '../parts/json.js';
import { PageHead } from '../parts/page-head.js';
import { CommandLine } from '../parts/states.js';
import { OnlyNow } from '../time/time-bar.js';
import { PlannedChange } from './planned-change.js';
import { usePlan } from './use-plan.js';
import { withInput, type ShellCommand } from '../parts/shell-command.js';

export type Body = Readonly<Record<string, unknown>>;

interface ChangePageProps {
  readonly title: string;
  readonly within: readonly (readonly [path: string, title: string])[];
  readonly method: ChangeRequest['method'];
  readonly path: string;
  /** What the form begins with. */
  readonly body: Body;
  /** The fields of the form; absent where there is JSON only. */
  readonly fields?: (body: Body, change: (changes: Body) => void, error: Error | undefined) => ReactNode;
  /** The body of the request where it is another one than that of the form; undefined: nothing has changed. */
  readonly requestBody?: (body: Body) => Body | undefined;
  /** The command that plans the same. It reads the body of the request from its input. */
  readonly command: ShellCommand;
  /** The page of what was made. */
  readonly made: (answer: unknown) => string;
}

type View = 'form' | 'json';

/** A change as a form or as JSON, which are two views of the same body: its plan, and then exactly this change. */
export function ChangePage(props: ChangePageProps) {
  const { title, within, method, path, fields, command, made, requestBody = (same: Body) => same } = props;
  const [, navigate] = useLocation();
  const [view, setView] = useState<View>(fields ? 'form' : 'json');
  const [text, setText] = useState(JSON.stringify(props.body, null, 2));
  const { value, error } = jsonOf(text);
  const body = value as Body | undefined;
  const planning = usePlan(({ operationId, data }) =>
    navigate(operationId === undefined ? made(data) : `/operations/${operationId}`),
  );
  const asked = error === undefined && body !== undefined ? requestBody(body) : undefined;
  const setBody = (next: Body): void => {
    setText(JSON.stringify(next, null, 2));
    planning.forget();
  };
  return (
    <>
      <PageHead title={title} within={within} />
      <OnlyNow>A change is made now, whatever moment other pages show.</OnlyNow>
      <section className="panel change-form">
        <PlannedChange planning={planning} request={asked && { method, path, body: asked }}>
          {fields ? (
            <SegmentedControl
              aria-label="How the change is written"
              value={body === undefined ? 'json' : view}
              onChange={next => setView(next as View)}
              data={[
                { value: 'form', label: 'Form' },
                { value: 'json', label: 'JSON' },
              ]}
            />
          ) : null}
          {view === 'form' && fields && body !== undefined ? (
            fields(body, changes => setBody({ ...body, ...changes }), planning.error)
          ) : (
            <Textarea
              label={props.requestBody ? 'As it is to be' : 'Body of the request'}
              className="json"
              autosize
              minRows={8}
              maxRows={28}
              value={text}
              error={error}
              onChange={event => {
                setText(event.currentTarget.value);
                planning.forget();
              }}
            />
          )}
        </PlannedChange>
      </section>
      {body === undefined ? null : <CommandLine>{withInput(command, asked ?? {})}</CommandLine>}
    </>
  );
}

import { Switch } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { Container } from '../api/types.js';
import { CommandLine, ErrorState } from '../parts/states.js';
import { session } from '../session/session.js';
import { shell } from '../parts/shell-command.js';

/** What the page keeps: the end of the log. */
const MAX_CHARACTERS = 200_000;
const TAIL = 500;

/** Whether the page is on the screen: a page behind others holds no connection, of which a browser has six for all of them. */
function useIsVisible(): boolean {
  const [isVisible, setVisible] = useState(document.visibilityState === 'visible');
  useEffect(() => {
    const take = (): void => setVisible(document.visibilityState === 'visible');
    document.addEventListener('visibilitychange', take);
    return () => document.removeEventListener('visibilitychange', take);
  }, []);
  return isVisible;
}

type State = 'reading' | 'following' | 'ended';

/** The end of the log of a container, which grows while it is followed. */
function useLog(id: string, isFollowed: boolean) {
  const [text, setText] = useState('');
  const [state, setState] = useState<State>('reading');
  const [error, setError] = useState<Error>();
  useEffect(() => {
    const ended = new AbortController();
    const { signal } = ended;
    const read = async (): Promise<void> => {
      setText('');
      setError(undefined);
      setState('reading');
      const path = { id };
      if (!isFollowed) {
        const { data } = await session.client.get('/v1/containers/{id}/logs', { path, query: { tail: TAIL }, signal });
        setText(data.logs.slice(-MAX_CHARACTERS));
        return setState('ended');
      }
      const query = { tail: TAIL, follow: true };
      for await (const part of session.client.text('/v1/containers/{id}/logs', { path, query, signal })) {
        setState('following');
        setText(before => (before + part).slice(-MAX_CHARACTERS));
      }
      setState('ended');
    };
    read().catch((refusal: unknown) => {
      if (!signal.aborted) setError(refusal as Error);
    });
    return () => ended.abort();
  }, [id, isFollowed]);
  return { text, state, error };
}

const stateTexts = { reading: 'reading', following: 'following', ended: 'read' } as const;

/** What a container writes, live while the page is on the screen. */
export function ContainerLogs({ container: { id, name } }: { readonly container: Container }) {
  const [isLive, setLive] = useState(true);
  const { text, state, error } = useLog(id, useIsVisible() && isLive);
  const box = useRef<HTMLPreElement>(null);
  const atEnd = useRef(true);
  useEffect(() => {
    const element = box.current;
    if (element && atEnd.current) element.scrollTop = element.scrollHeight;
  }, [text]);
  return (
    <section aria-label={`Log of ${name}`}>
      <div className="toolbar">
        <Switch label="Follow" checked={isLive} onChange={() => setLive(!isLive)} />
        <span className="dim" role="status">
          {stateTexts[state]}
        </span>
      </div>
      {error ? <ErrorState error={error} /> : null}
      <pre
        className="log"
        tabIndex={0}
        ref={box}
        aria-label="Lines of the log"
        onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
          atEnd.current = scrollTop + clientHeight >= scrollHeight - 8;
        }}
      >
        {text === '' ? <span className="dim">Nothing was written yet.</span> : text}
      </pre>
      <CommandLine>{shell`stave logs ${name} -f`}</CommandLine>
    </section>
  );
}

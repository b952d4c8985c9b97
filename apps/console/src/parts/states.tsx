import { Alert, Button, Skeleton } from '@mantine/core';
import { ProblemError } from '@stave/client';
import { useEffect, useState, type ReactNode } from 'react';
import { stopWaiting, useWait, waitAgain } from '../api/waiting.js';
import type { ShellCommand } from './shell-command.js';

/** So many lines of a command are shown; the others are scrolled to. */
const SHOWN_LINES = 12;

/** An error as the API said it: every wrong field by its pointer, and the id with which the log finds it. */
export function ErrorState({ error, retry }: { readonly error: Error; readonly retry?: () => void }) {
  const problem = error instanceof ProblemError ? error.problem : undefined;
  return (
    <Alert color="red" variant="outline" title={problem?.title ?? 'No answer'} role="alert" className="error-state">
      <p>{problem?.detail ?? error.message}</p>
      {problem?.errors && problem.errors.length > 0 ? (
        <ul>
          {problem.errors.map(({ pointer, detail }) => (
            <li key={pointer}>
              <code>{pointer}</code> {detail}
            </li>
          ))}
        </ul>
      ) : null}
      {problem ? (
        <p className="dim">
          {problem.code}, correlation id <code>{problem.correlationId}</code>
        </p>
      ) : null}
      {retry ? (
        <Button size="xs" variant="default" onClick={retry}>
          Try again
        </Button>
      ) : null}
    </Alert>
  );
}

/** Nothing for a moment, then outlines, then a word that it takes long, with a way to stop waiting. */
export function Loading({ rows = 6 }: { readonly rows?: number }) {
  const [phase, setPhase] = useState(0);
  const wait = useWait();
  const isStopped = wait === 'stopped';
  useEffect(() => {
    setPhase(0);
    if (isStopped) return undefined;
    const timers = [setTimeout(() => setPhase(1), 200), setTimeout(() => setPhase(2), 3_000)];
    return () => timers.forEach(clearTimeout);
  }, [isStopped]);
  return (
    <div aria-busy={!isStopped} className="loading">
      {phase > 0 ? Array.from({ length: rows }, (_, row) => <Skeleton key={row} height={18} radius="sm" />) : null}
      <p role="status" className="dim">
        {phase === 2 ? 'Still loading: the server has not answered yet.' : ''}
        {isStopped ? 'Cancelled before the server answered.' : ''}
      </p>
      {phase === 2 && wait === 'waiting' ? (
        <Button size="xs" variant="default" className="loading-button" onClick={stopWaiting}>
          Cancel
        </Button>
      ) : null}
      {isStopped ? (
        <Button size="xs" variant="default" className="loading-button" onClick={waitAgain}>
          Load again
        </Button>
      ) : null}
    </div>
  );
}

export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** The command that shows or does the same, with its input where it has one. */
export function CommandLine({ children: { text } }: { readonly children: ShellCommand }) {
  const [isCopied, setCopied] = useState(false);
  const copy = (): void => {
    void navigator.clipboard?.writeText(text).then(() => setCopied(true));
  };
  const [first = '', ...input] = text.split('\n');
  const scrolls = input.length > SHOWN_LINES ? { tabIndex: 0, role: 'region', 'aria-label': 'Command' } : {};
  return (
    <div className="command-line">
      <code {...scrolls}>{text}</code>
      <button type="button" onClick={copy} onBlur={() => setCopied(false)} aria-label={`Copy the command ${first}`}>
        {isCopied ? 'copied' : 'copy'}
      </button>
    </div>
  );
}

import { Button, PasswordInput } from '@mantine/core';
import { ProblemError, StaveClient } from '@stave/client';
import { useState, type FormEvent } from 'react';
import { session, useSession } from '../session/session.js';
import { Mark } from './mark.js';

/** Asks for an API key. It is kept in memory only, so it is asked for again when the last page of the console is closed. */
export function SignIn() {
  const [key, setKey] = useState('');
  const { isRefused } = useSession();
  const [refusal, setRefusal] = useState(
    isRefused ? 'The key you were signed in with was revoked or has expired.' : undefined,
  );
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setRefusal(undefined);
    try {
      await new StaveClient({ url: location.origin, token: key.trim() }).get('/v1/whoami');
      session.signIn(key.trim());
    } catch (error) {
      const isWrong = error instanceof ProblemError && error.status === 401;
      setRefusal(isWrong ? 'This key is unknown, expired or revoked.' : String((error as Error).message));
    }
    setBusy(false);
  };
  return (
    <main className="sign-in">
      <form onSubmit={event => void submit(event)}>
        <Mark size={44} />
        <h1>Sign in to Stave</h1>
        <p className="dim">
          With an API key. It stays in the memory of this browser: no storage, no cookie. On the machine that runs{' '}
          <code>npm start</code> the administrator's key is in <code>data/admin.key</code>.
        </p>
        <PasswordInput
          label="API key"
          value={key}
          onChange={event => setKey(event.currentTarget.value)}
          error={refusal}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          autoFocus
          required
          visibilityToggleButtonProps={{ 'aria-label': 'Show the key' }}
        />
        <Button type="submit" loading={isBusy} disabled={key.trim() === ''} fullWidth>
          Sign in
        </Button>
      </form>
    </main>
  );
}

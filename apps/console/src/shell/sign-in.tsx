import { Button, PasswordInput } from '@mantine/core';
import { ProblemError, StaveClient } from '@stave/client';
import { useState, type FormEvent } from 'react';
import { shell } from '../parts/shell-command.js';
import { CommandLine } from '../parts/states.js';
import { session, useSession } from '../session/session.js';
import { Mark } from './mark.js';

/** Returns where a browser signs in, and then comes back to this page with what its address says. */
function loginPath(issuer: string): string {
  const { pathname, search, hash } = location;
  return `/v1/auth/login?${new URLSearchParams({ issuer, returnTo: pathname + search + hash }).toString()}`;
}

const shown = (issuer: string): string => issuer.replace(/^https?:\/\//, '').replace(/\/$/, '');

function Issuers({ issuers }: { readonly issuers: readonly string[] }) {
  return (
    <>
      {issuers.map(issuer => (
        <Button key={issuer} component="a" href={loginPath(issuer)} fullWidth>
          Sign in with {shown(issuer)}
        </Button>
      ))}
      <p className="dim">Or with an API key, which stays in the memory of this browser: no storage, no cookie.</p>
    </>
  );
}

function AboutKeys() {
  return (
    <div className="dim">
      <p>
        With an API key. In the directory in which <code>npm start</code> runs, this command prints that of the
        administrator:
      </p>
      <CommandLine>{shell`cat data/admin.key`}</CommandLine>
      <p>
        Elsewhere, an administrator of your project makes you one. A key stays in the memory of this browser: no
        storage, no cookie.
      </p>
    </div>
  );
}

/**
 * Offers the issuers at which this browser can sign in, and asks for an API key. A key is kept in memory only, so it is asked for again when the last
 * page of the console is closed.
 */
export function SignIn() {
  const [key, setKey] = useState('');
  const { notice, issuers } = useSession();
  const [refusal, setRefusal] = useState<string>();
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
  const hasIssuers = issuers.length > 0;
  return (
    <main className="sign-in">
      <form onSubmit={event => void submit(event)}>
        <Mark size={44} />
        <h1>Sign in to Stave</h1>
        {notice !== undefined && <p role="status">{notice}</p>}
        {hasIssuers ? <Issuers issuers={issuers} /> : <AboutKeys />}
        <PasswordInput
          label="API key"
          value={key}
          onChange={event => setKey(event.currentTarget.value)}
          error={refusal}
          autoComplete="off"
          spellCheck={false}
          data-autofocus={!hasIssuers}
          autoFocus={!hasIssuers}
          required
          visibilityToggleButtonProps={{ 'aria-label': 'Show the key' }}
        />
        <Button
          type="submit"
          loading={isBusy}
          disabled={key.trim() === ''}
          fullWidth
          variant={hasIssuers ? 'default' : 'filled'}
        >
          {hasIssuers ? 'Sign in with a key' : 'Sign in'}
        </Button>
      </form>
    </main>
  );
}

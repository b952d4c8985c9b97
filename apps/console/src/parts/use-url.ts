import { useCallback } from 'react';
import { useLocation, useSearchParams } from 'wouter';

/** The state of a page in its address, so that it can be sent to others and survives a reload. */
export function useUrl(): readonly [get: (name: string) => string | undefined, set: (changes: Changes) => void] {
  const [parameters, setParameters] = useSearchParams();
  useLocation();
  const get = (name: string): string | undefined => parameters.get(name) ?? undefined;
  const set = useCallback(
    (changes: Changes): void =>
      setParameters(
        before => {
          const after = new URLSearchParams(before);
          for (const [name, value] of Object.entries(changes))
            if (value === undefined || value === '') after.delete(name);
            else after.set(name, value);
          return after;
        },
        { replace: true },
      ),
    [setParameters],
  );
  return [get, set];
}

export type Changes = Readonly<Record<string, string | undefined>>;

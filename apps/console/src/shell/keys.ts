import { useEffect } from 'react';
import { useLocation } from 'wouter';

const OFF = 'stave-keys-off';

export const areKeysOff = (): boolean => localStorage.getItem(OFF) === 'true';
export const setKeysOff = (isOff: boolean): void => localStorage.setItem(OFF, String(isOff));

/** Whether a key is one of ours: not in a field, not with a modifier, and not switched off. */
export function usesKeys({ target, ctrlKey, metaKey, altKey }: globalThis.KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || areKeysOff()) return false;
  return !(target instanceof HTMLElement && /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

export const destinations: Readonly<Record<string, readonly [path: string, title: string]>> = {
  o: ['/', 'Overview'],
  c: ['/clusters', 'Clusters'],
  p: ['/operations', 'Operations'],
  f: ['/fleet', 'Fleet'],
};

/** `g` and a letter lead to a page, `/` to the filter, `?` shows all keys. */
export function useKeys(showHelp: () => void): void {
  const [, navigate] = useLocation();
  useEffect(() => {
    let isGoing = false;
    const take = (event: globalThis.KeyboardEvent): void => {
      if (!usesKeys(event)) return;
      const [path] = (isGoing && destinations[event.key]) || [];
      isGoing = event.key === 'g';
      if (path) navigate(path);
      else if (event.key === '?') showHelp();
      else if (event.key === '/') document.querySelector<HTMLInputElement>('[data-filter]')?.focus();
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', take);
    return () => document.removeEventListener('keydown', take);
  }, [navigate, showHelp]);
}

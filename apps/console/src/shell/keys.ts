import { useEffect } from 'react';
import { useLocation } from 'wouter';

const OFF = 'stave-keys-off';

export const areKeysOff = (): boolean => localStorage.getItem(OFF) === 'true';
export const setKeysOff = (isOff: boolean): void => localStorage.setItem(OFF, String(isOff));

/** Whether a key is one of ours: not in a field, not with a modifier that does more than type its sign, and not switched off. */
export function usesKeys(event: globalThis.KeyboardEvent): boolean {
  const { target, key, ctrlKey, metaKey, altKey } = event;
  // many keyboards type @ with AltGr, or with Option
  const isTyped = event.getModifierState('AltGraph') || (key === '@' && !ctrlKey && !metaKey);
  if (((ctrlKey || metaKey || altKey) && !isTyped) || areKeysOff()) return false;
  return !(target instanceof HTMLElement && /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

export const destinations: Readonly<Record<string, readonly [path: string, title: string]>> = {
  o: ['/', 'Overview'],
  c: ['/clusters', 'Clusters'],
  s: ['/sets', 'Container sets'],
  t: ['/containers', 'Containers'],
  p: ['/operations', 'Operations'],
  h: ['/history', 'History'],
  l: ['/policies', 'Policies'],
  m: ['/templates/clusters', 'Templates'],
  i: ['/machines', 'Machines'],
  f: ['/fleet', 'Fleet'],
  a: ['/access', 'Access'],
};

interface Opened {
  readonly help: () => void;
  readonly palette: () => void;
  readonly time: () => void;
}

/** `g` and a letter lead to a page, `/` to the filter, `Ctrl-K` to the palette, `@` to the time, `?` shows all keys. */
export function useKeys({ help, palette, time }: Opened): void {
  const [, navigate] = useLocation();
  useEffect(() => {
    let isGoing = false;
    const ours = (event: globalThis.KeyboardEvent): boolean => {
      if (event.key === 'k' && (event.ctrlKey || event.metaKey)) return (palette(), true);
      if (!usesKeys(event)) return false;
      const [path] = (isGoing && destinations[event.key]) || [];
      isGoing = event.key === 'g';
      if (path) navigate(path);
      else if (event.key === '?') help();
      else if (event.key === '@') time();
      else if (event.key === '/') document.querySelector<HTMLInputElement>('[data-filter]')?.focus();
      else return false;
      return true;
    };
    const take = (event: globalThis.KeyboardEvent): void => {
      if (ours(event)) event.preventDefault();
    };
    document.addEventListener('keydown', take);
    return () => document.removeEventListener('keydown', take);
  }, [navigate, help, palette, time]);
}

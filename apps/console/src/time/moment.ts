import { useCallback } from 'react';
import type { AroundNavHandler } from 'wouter';
import { useUrl } from '../parts/use-url.js';

/** Returns the moment that an address names; undefined, the present, for what is no time. */
export const momentIn = (text: string | null | undefined): string | undefined =>
  typeof text === 'string' && Number.isFinite(Date.parse(text)) ? text : undefined;

/** The moment that all pages show, as it is in their address; undefined: now. */
export function useMoment(): readonly [at: string | undefined, setAt: (at: string | undefined) => void] {
  const [get, set] = useUrl();
  const setAt = useCallback((at: string | undefined): void => set({ at }), [set]);
  return [momentIn(get('at')), setAt];
}

/** Adds the moment that is shown to the address of another page. */
function withMoment(to: string): string {
  const at = momentIn(new URLSearchParams(location.search).get('at'));
  const [path = '', query = ''] = to.split('?');
  const parameters = new URLSearchParams(query);
  if (at === undefined || parameters.has('at')) return to;
  parameters.set('at', at);
  return `${path}?${parameters}`;
}

/** Whoever has gone back in time stays there on the way to other pages. A replaced address says by itself what it shows. */
export const keepMoment: AroundNavHandler = (navigate, to, options) =>
  navigate(options?.replace ? to : withMoment(to), options);

import { useCallback } from 'react';
import { useLocation, useSearchParams, type AroundNavHandler } from 'wouter';
import { useUrl } from '../parts/use-url.js';

/** What the API takes: a date, or a time with its zone. A revision counts the changes of one resource, and names no moment of the others. */
const MOMENT = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** Returns the moment that an address names; undefined, the present, for what is no time. */
export function momentIn(text: string | null | undefined): string | undefined {
  // whoever types an address does not encode the sign of a zone, which is a space then
  const moment = text?.replace(/ (?=\d{2}:\d{2}$)/, '+') ?? '';
  return MOMENT.test(moment) && Number.isFinite(Date.parse(moment)) ? moment : undefined;
}

/** By so much the clock of the server may be ahead of that of the browser, in milliseconds. */
const CLOCKS_MS = 60_000;
/** Moments that had not come when they were asked for. A page that is live stays so when they have come. */
const toCome = new Set<string>();

/** Whether a moment had not come yet when an address asked for it first. The API answers with the present then. */
function isToCome(moment: string): boolean {
  if (Date.parse(moment) > Date.now() + CLOCKS_MS) toCome.add(moment);
  return toCome.has(moment);
}

/** Returns the moment of the past that an address names; undefined: the present is shown. */
function pastMomentIn(text: string | null | undefined): string | undefined {
  const moment = momentIn(text);
  return moment === undefined || isToCome(moment) ? undefined : moment;
}

/** The moment that all pages show, as it is in their address; undefined: now. */
export function useMoment(): readonly [at: string | undefined, setAt: (at: string | undefined) => void] {
  const [get, set] = useUrl();
  const setAt = useCallback((at: string | undefined): void => set({ at }), [set]);
  return [pastMomentIn(get('at')), setAt];
}

/** The address of the page that is shown, at another moment. */
export function useAddressAt(at: string): string {
  const [path] = useLocation();
  const [parameters] = useSearchParams();
  const query = new URLSearchParams(parameters);
  query.set('at', at);
  return `${path}?${query}`;
}

interface Named {
  readonly name: string;
  readonly id: string;
}

/** What the command line calls a resource at a moment: its name, and in the past its id, because names are those of the present. */
export const referenceAt = (at: string | undefined, { name, id }: Named): string => (at === undefined ? name : id);

/** As `referenceAt`, at the moment that all pages show. */
export const useReferenceThen = (named: Named): string => referenceAt(useMoment()[0], named);

/** What the address has in place of a moment; undefined where it has none, or one that is shown. */
export function useWrongMoment(): string | undefined {
  const [get] = useUrl();
  const text = get('at');
  return pastMomentIn(text) === undefined ? text : undefined;
}

/** Adds the moment that is shown to the address of another page. */
function withMoment(to: string): string {
  const at = pastMomentIn(new URLSearchParams(location.search).get('at'));
  const [path = '', query = ''] = to.split('?');
  const parameters = new URLSearchParams(query);
  if (at === undefined || parameters.has('at')) return to;
  parameters.set('at', at);
  return `${path}?${parameters}`;
}

/** Whoever has gone back in time stays there on the way to other pages. A replaced address says by itself what it shows. */
export const keepMoment: AroundNavHandler = (navigate, to, options) =>
  navigate(options?.replace ? to : withMoment(to), options);

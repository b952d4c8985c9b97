import type { Values } from '../http/call.js';

export type EventForm = 'stream' | 'pages';

const forms: Readonly<Record<string, EventForm>> = { 'text/event-stream': 'stream', 'application/json': 'pages' };

/** Returns the weights of the forms that `Accept` names. Ranges with `*` name none. */
function weightsOf(accept: string): Map<EventForm, number> {
  const weights = new Map<EventForm, number>();
  for (const range of accept.split(',')) {
    const [type = '', ...parameters] = range.split(';').map(part => part.trim().toLowerCase());
    const form = forms[type];
    if (form === undefined) continue;
    const weight = Number(parameters.find(parameter => parameter.startsWith('q='))?.slice(2) ?? 1);
    weights.set(form, Number.isNaN(weight) ? 1 : weight);
  }
  return weights;
}

/**
 * Returns the form in which events are answered: the one that `Accept` prefers. Where it prefers none, a query with `since` or
 * `order` is answered with a page, and every other one with a stream.
 */
export function eventForm(accept: string | undefined, query: Values): EventForm {
  const weights = weightsOf(accept ?? '');
  const stream = weights.get('stream') ?? 0;
  const pages = weights.get('pages') ?? 0;
  if (stream === pages) return query['since'] === undefined && query['order'] === undefined ? 'stream' : 'pages';
  return stream > pages ? 'stream' : 'pages';
}

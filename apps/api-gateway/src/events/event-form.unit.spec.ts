import { eventForm } from './event-form.js';

it.each([
  ['text/event-stream', 'stream'],
  ['application/json', 'pages'],
  ['Application/JSON; charset=utf-8', 'pages'],
  ['text/event-stream;q=0.5, application/json', 'pages'],
  ['text/event-stream, application/json; q=0.9, */*;q=0.1', 'stream'],
  ['text/event-stream, application/json', undefined],
  ['*/*', undefined],
  ['text/html', undefined],
  ['application/json;q=x, text/event-stream;q=0.5', 'pages'],
  ['', undefined],
  [undefined, undefined],
] as const)(
  'a request that accepts %s is answered as a %s; where that is undefined, `since` decides',
  (accept, form) => {
    expect(eventForm(accept, {})).toBe(form ?? 'stream');
    expect(eventForm(accept, { from: 'start' })).toBe(form ?? 'stream');
    expect(eventForm(accept, { since: 'start' })).toBe(form ?? 'pages');
  },
);

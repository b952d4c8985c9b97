import { invalid } from '../problems/refusals.js';

const START = '/console/';

const ownPath = {
  pointer: '?returnTo',
  code: 'foreign-path',
  detail: 'must be a path of this host, such as /console/',
};

/**
 * Returns the path to which a browser is sent after it has signed in; default: the console.
 * Throws RefusedError (400) for what leads to another host.
 */
export function returnPath(given: unknown): string {
  if (given === undefined) return START;
  const text = String(given);
  // browsers read \ as /, and leave out tabs and line breaks
  const isPath = /^\/(?![/\\])[\x21-\x7e]*$/.test(text) && !text.includes('\\');
  const host = 'http://own.invalid';
  if (!isPath || !URL.canParse(text, host) || new URL(text, host).origin !== host)
    throw invalid('foreign-path', [ownPath]);
  return text;
}

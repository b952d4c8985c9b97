import { StaveError } from './errors.js';

/** Returns `?name=value&…`. A member that is an object holds parameters itself: `{ labels: { 'labels.env': 'prod' } }`. */
export function queryText(query: unknown): string {
  const pairs = Object.entries(Object(query)).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null ? Object.entries(value) : [[name, value]],
  );
  const given = pairs.filter(([, value]) => value !== undefined).map(([name, value]) => [name, String(value)]);
  return given.length === 0 ? '' : `?${new URLSearchParams(given as string[][])}`;
}

/** Fills a path such as `/v1/clusters/{id}`. Throws StaveError for a missing or empty value. */
export function pathText(template: string, values: unknown): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = Object(values)[name];
    if (value === undefined || value === '') throw new StaveError(`${template} needs the path parameter ${name}`);
    return encodeURIComponent(String(value));
  });
}

/** Returns a random key. `crypto.randomUUID` is missing on pages that are not served by HTTPS. */
export function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0')).join('');
}

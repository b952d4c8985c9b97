/** Converts a name into a valid host name of at most 63 characters; returns the default when nothing of the name is left. */
export function hostNameOf(name: string, byDefault: string): string {
  const host = name.replace(/[^a-zA-Z0-9-]+/g, '-').replace(/^-+|-+$/g, '');
  return host.slice(0, 63) || byDefault;
}

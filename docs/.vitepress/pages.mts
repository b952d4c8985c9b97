/** Returns the path on the site of a Markdown file of the repository; `docs/` is the root of the site. */
export function pageOf(file: string): string {
  if (file.startsWith('docs/')) return file.slice('docs/'.length);
  return file.includes('/') ? file : `about/${file}`;
}

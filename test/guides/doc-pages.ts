import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@stave/testing';

export const docsDirectory = join(repositoryRoot(), 'docs');

/** What is in docs without being a page of ours: packages that build the site, the built site, and templates of generated pages. */
const isOther = (name: string): boolean => /^(?:node_modules|dist[^/]*|\.vitepress)\//.test(name) || name.includes('[');

/** Returns the paths of all pages below docs. */
export const docPages = (): readonly string[] =>
  readdirSync(docsDirectory, { recursive: true, encoding: 'utf8' }).filter(
    name => name.endsWith('.md') && !isOther(name),
  );

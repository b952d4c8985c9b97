import { commandTree, referencePage, type Terminal } from '@stave/cli';
import { repositoryRoot } from '@stave/testing';
import { join } from 'node:path';

export const referenceFile = join(repositoryRoot(), 'docs/reference/command-line.md');

/** A terminal for a tree of commands that is only described. */
export const nowhere: Terminal = {
  env: {},
  cwd: '/',
  checkout: '/',
  interactive: false,
  columns: undefined,
  out: () => undefined,
  err: () => undefined,
  drained: () => Promise.resolve(),
  readInput: () => Promise.resolve(''),
  signal: new AbortController().signal,
};

/** Returns the content of docs/reference/command-line.md. */
export const referenceText = (): string => referencePage(commandTree(nowhere, '0').root);

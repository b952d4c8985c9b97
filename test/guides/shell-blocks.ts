export interface ShellBlock {
  readonly line: number;
  readonly text: string;
}

const FENCE = /^```(?:sh|bash|shell)\n([\s\S]*?)^```$/gm;
const NOT_RUN = /<!--\s*not run: [^>]+-->\s*$/;

/** Returns the shell blocks of a page that are preceded by a comment `<!-- not run: reason -->` with this reason. */
export function blocksNotRun(page: string, reason: string): readonly ShellBlock[] {
  return [...page.matchAll(FENCE)].flatMap(({ index, 1: text = '' }) => {
    const before = page.slice(0, index);
    return NOT_RUN.exec(before)?.[0].includes(`not run: ${reason}`) ? [{ line: before.split('\n').length, text }] : [];
  });
}

/** Returns the shell blocks of a page in order, except those preceded by a comment `<!-- not run: reason -->`. */
export function shellBlocks(page: string): readonly ShellBlock[] {
  return [...page.matchAll(FENCE)].flatMap(({ index, 1: text = '' }) => {
    const before = page.slice(0, index);
    return NOT_RUN.test(before) ? [] : [{ line: before.split('\n').length, text }];
  });
}

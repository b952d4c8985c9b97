/** A shell block of a page. */
export interface ShellBlock {
  readonly line: number;
  readonly text: string;
}

const FENCE = /^```(?:sh|bash|shell)\n([\s\S]*?)^```$/gm;
const NOT_RUN = /<!--\s*not run: [^>]+-->\s*$/;

/** The shell blocks of a page in order, without those that a comment `<!-- not run: reason -->` before them leaves out. */
export function shellBlocks(page: string): readonly ShellBlock[] {
  return [...page.matchAll(FENCE)].flatMap(({ index, 1: text = '' }) => {
    const before = page.slice(0, index);
    return NOT_RUN.test(before) ? [] : [{ line: before.split('\n').length, text }];
  });
}

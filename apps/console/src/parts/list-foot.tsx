import { CommandLine } from './states.js';
import { type ShellCommand } from './shell-command.js';

interface ListFootProps {
  readonly what: string;
  readonly shown: number;
  readonly total: number | undefined;
  readonly added: number;
  readonly reload: () => void;
  readonly command: ShellCommand;
}

/** The word for one of what a list has: `policies` as `policy`. */
const oneOf = (what: string): string => what.replace(/ies$/, 'y').replace(/s$/, '');

/** What a list leaves out, and what was added to it. */
export function ListFoot({ what, shown, total, added, reload, command }: ListFootProps) {
  return (
    <div className="list-foot">
      <p className="dim" aria-live="polite">
        {total === undefined
          ? ''
          : `${total.toLocaleString('en')} ${total === 1 ? oneOf(what) : what}, ${Math.min(shown, total).toLocaleString('en')} read`}
      </p>
      {added > 0 ? (
        <button type="button" className="added" onClick={reload}>
          {added.toLocaleString('en')} new: show
        </button>
      ) : null}
      <span className="space" />
      <CommandLine>{command}</CommandLine>
    </div>
  );
}

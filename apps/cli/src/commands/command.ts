import { Command } from 'commander';
import { loadYaml } from '../output/output.js';
import { Session, type GlobalFlags } from '../session.js';
import type { Terminal } from '../terminal.js';

/** A command of the tree. Returns its exit code, or nothing for 0. */
export type Handler<F> = (session: Session, args: readonly string[], flags: F & GlobalFlags) => Promise<number | void>;

/** Adds a command below another one. */
export type AddCommand = (tree: CommandTree, parent: Command) => void;

/** Makes commands whose outcome is remembered for the process. */
export class CommandTree {
  exitCode = 0;
  readonly root: Command;

  constructor(private readonly terminal: Terminal) {
    this.root = this.configured(new Command('stave'));
  }

  /** Adds a command that only has others below it. */
  group(parent: Command, name: string, summary: string, aliases: readonly string[] = []): Command {
    const command = this.configured(
      parent
        .command(name)
        .summary(summary)
        .description(summary)
        .aliases([...aliases]),
    );
    return command;
  }

  /** Adds a command that does something. `usage` is its name and its arguments. */
  leaf<F = object>(parent: Command, usage: string, summary: string, handler: Handler<F>): Command {
    // what only scripts of shells call is in no help
    const added = parent.command(usage, { hidden: usage.startsWith('__') });
    const command = withGlobals(this.configured(added.summary(summary).description(summary)));
    return command.action(async () => {
      const flags = command.opts<F & GlobalFlags>();
      const session = new Session(this.terminal, flags);
      if (session.format === 'yaml') await loadYaml();
      this.exitCode = (await handler(session, command.args, flags)) ?? 0;
    });
  }

  private configured(command: Command): Command {
    const width = this.terminal.columns;
    return command
      .exitOverride()
      .configureOutput({
        writeOut: text => this.terminal.out(text),
        writeErr: text => this.terminal.err(text),
        getOutHelpWidth: () => width ?? 100,
        getErrHelpWidth: () => width ?? 100,
      })
      .showSuggestionAfterError(true)
      .helpOption('-h, --help', 'Show help');
  }
}

export const collect = (value: string, previous: readonly string[] = []): string[] => [...previous, value];

function withGlobals(command: Command): Command {
  return command
    .option('--project <name>', 'Project (STAVE_PROJECT)')
    .option('--profile <name>', 'Profile of stave login')
    .option('-o, --output <format>', 'table, wide, json, jsonl, yaml or name')
    .option('--no-color', 'No colours')
    .option('--debug', 'Name each request; prints no secret');
}

import { EmbeddedStack } from '../e2e/stack.js';
import { StaveCommand, type Outcome } from './stave-command.js';

/** Runs commands that are written as a user types them. Words are separated by spaces, so no word contains one. */
export class CommandLines {
  private constructor(
    private readonly stack: EmbeddedStack,
    readonly stave: StaveCommand,
  ) {}

  /** Starts the product with these settings. */
  static async start(settings: Readonly<Record<string, string>> = {}): Promise<CommandLines> {
    const stack = await EmbeddedStack.start(undefined, settings);
    return new CommandLines(stack, await StaveCommand.at(stack.url, stack.adminKey));
  }

  /** The key of an administrator. */
  get key(): string {
    return this.stack.adminKey;
  }

  async close(): Promise<void> {
    await this.stave.close();
    await this.stack.close();
  }

  /** Runs `stave` with this line and returns what it wrote. Throws when the exit code is another one than `code`. */
  async run(line: string, { code = 0, input = '' } = {}): Promise<string> {
    const outcome = await this.outcome(line, input);
    if (outcome.code !== code)
      throw new Error(`stave ${line} ended with ${outcome.code}: ${outcome.out}${outcome.err}`);
    return outcome.out + outcome.err;
  }

  /** Runs lines one after the other, each of which must succeed. */
  async all(...lines: readonly string[]): Promise<void> {
    for (const line of lines) await this.run(line);
  }

  /** Runs a line that the API refuses, and returns what the command says about it. */
  refused(line: string): Promise<string> {
    return this.run(line, { code: 1 });
  }

  read<T = Record<string, unknown>>(line: string): Promise<T> {
    return this.stave.json<T>(...line.split(' '));
  }

  /** The names of what a list shows. */
  async names(line: string): Promise<readonly string[]> {
    return (await this.run(`${line} -o name`)).split('\n').filter(name => name !== '');
  }

  private outcome(line: string, input: string): Promise<Outcome> {
    return this.stave.run(line.split(' '), { input });
  }
}

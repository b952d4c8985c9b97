import { execFile, spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { eventually, repositoryRoot, uniqueName } from '@stave/testing';

const run = promisify(execFile);
const bin = join(repositoryRoot(), 'node_modules', '.bin');

/** What the prompt of a window shows: the exit code of the command before. It follows the sign of Ctrl-C. */
const PROMPT = /(?:^|\^C)\[(\d+)\] *$/;

/** Why the tests of a terminal cannot run here; undefined when they can. */
export const missingProgram = (program: string, version = '--version'): string | undefined =>
  spawnSync(program, [version]).status === 0 ? undefined : `${program} is not installed`;

/** A shell in a window of tmux: a terminal with a size, in which keys are pressed and whose screen is read. */
export class TmuxWindow {
  private constructor(private readonly server: string) {}

  /** Opens a window of this width. `shell` is a command line, such as `bash --norc`. */
  static async open(
    shell: string,
    columns: number,
    env: Readonly<Record<string, string>>,
    home: string,
  ): Promise<TmuxWindow> {
    const window = new TmuxWindow(uniqueName('stave-tmux'));
    const path = [bin, process.env['PATH'] ?? ''].join(delimiter);
    const variables = { PATH: path, HOME: home, ...env };
    const given = Object.entries(variables).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
    const size = ['-x', String(columns), '-y', '50'];
    // the shell with which tmux starts this one may remove the prompt from the environment
    const prompted = `exec env PS1='[$?] ' PROMPT='[%?] ' ${shell}`;
    await window.tmux('-f', '/dev/null', 'new-session', '-d', ...size, '-c', home, ...given, prompted);
    try {
      await window.prompt();
    } catch (error) {
      await window.close();
      throw error;
    }
    return window;
  }

  /** Types a line and presses Enter. */
  async type(line: string): Promise<void> {
    await this.write(line);
    await this.press('Enter');
  }

  /** Types a part of a line. */
  async write(text: string): Promise<void> {
    await this.tmux('send-keys', '-l', text);
  }

  /** Presses keys by their names in tmux, such as `C-c` or `Tab`. */
  async press(...keys: readonly string[]): Promise<void> {
    await this.tmux('send-keys', ...keys);
  }

  async resize(columns: number): Promise<void> {
    await this.tmux('resize-window', '-x', String(columns), '-y', '50');
  }

  /** The lines of the screen without the empty ones at its end; `-e` adds the colours. */
  async screen(...options: readonly '-e'[]): Promise<string> {
    return (await this.tmux('capture-pane', '-p', ...options)).trimEnd();
  }

  /** Waits until the screen shows this, and returns it. */
  until(shows: RegExp): Promise<string> {
    return eventually(async () => {
      const screen = await this.screen();
      return shows.test(screen) && screen;
    }, `the terminal to show ${shows}`);
  }

  /** Runs a command on an empty screen until the prompt is back. Returns its exit code and what the screen shows. */
  async command(line: string): Promise<{ readonly code: number; readonly screen: string; readonly colored: string }> {
    await this.tmux('send-keys', '-R');
    await this.tmux('clear-history');
    await this.type(`clear; ${line}`);
    const code = await this.prompt();
    return { code, screen: await this.screen(), colored: await this.screen('-e') };
  }

  /** Waits until the last line is a prompt on which nothing was typed, and returns the exit code that it shows. */
  async prompt(): Promise<number> {
    return eventually(async () => {
      const [, code] = PROMPT.exec((await this.screen()).split('\n').at(-1) ?? '') ?? [];
      return code !== undefined && { code: Number(code) };
    }, 'the prompt').then(({ code }) => code);
  }

  async close(): Promise<void> {
    await this.tmux('kill-server');
  }

  private async tmux(...args: readonly string[]): Promise<string> {
    const env = { PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8', TERM: 'xterm-256color' };
    return (await run('tmux', ['-u', '-L', this.server, ...args], { env })).stdout;
  }
}

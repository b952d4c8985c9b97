const SHORTEST = 8;
const MOST = 10_000;
const MARK = '[secret]';

/** Secret values, and functions that remove them from log lines, events and answers. */
export class KnownSecrets {
  /** Values by the forms that may occur in text, oldest first; the oldest are dropped when there are too many. */
  private readonly values = new Set<string>();

  /** Registers a value to remove. Values shorter than 8 characters are ignored: they may be parts of ordinary words. */
  learn(value: string): void {
    if (value.length < SHORTEST) return;
    this.values.add(value);
    this.values.add(JSON.stringify(value).slice(1, -1));
    for (const oldest of this.values) {
      if (this.values.size <= MOST) return;
      this.values.delete(oldest);
    }
  }

  /** Returns the text without known secrets. */
  cutText(text: string): string {
    let cut = text;
    for (const value of this.values) if (cut.includes(value)) cut = cut.replaceAll(value, MARK);
    return cut;
  }

  /** Returns the JSON value without known secrets in values and keys; the same object when it contains none. */
  cutJson<T>(value: T): T {
    if (this.values.size === 0) return value;
    const text = JSON.stringify(value);
    if (text === undefined) return value;
    const cut = this.cutText(text);
    return cut === text ? value : JSON.parse(cut);
  }
}

/** The secrets known to this process. `createLogger` and code that quotes external messages remove them. */
export const knownSecrets = new KnownSecrets();

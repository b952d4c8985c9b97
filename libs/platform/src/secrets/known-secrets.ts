const SHORTEST = 8;
const MOST = 10_000;
const MARK = '[secret]';

/** Values that must stand in no log line, no event and no answer, and the means to cut them out of what is about to be told. */
export class KnownSecrets {
  /** By the form that may occur in text; insertion order, so that the oldest are forgotten when there are too many. */
  private readonly values = new Set<string>();

  /** From now on the value is cut out. Shorter ones than 8 characters are left aside: they would tear ordinary words. */
  learn(value: string): void {
    if (value.length < SHORTEST) return;
    this.values.add(value);
    this.values.add(JSON.stringify(value).slice(1, -1));
    for (const oldest of this.values) {
      if (this.values.size <= MOST) return;
      this.values.delete(oldest);
    }
  }

  /** The text without known values. */
  cutText(text: string): string {
    let cut = text;
    for (const value of this.values) if (cut.includes(value)) cut = cut.replaceAll(value, MARK);
    return cut;
  }

  /** The JSON value without known values, in its keys too. The same object when nothing was in it. */
  cutJson<T>(value: T): T {
    if (this.values.size === 0) return value;
    const text = JSON.stringify(value);
    if (text === undefined) return value;
    const cut = this.cutText(text);
    return cut === text ? value : JSON.parse(cut);
  }
}

/** What this process knows to be secret: cut out of all its log lines (`createLogger`), and by whoever tells what others said. */
export const knownSecrets = new KnownSecrets();

/** Collects which metrics have had a value other than 0 in any process, and which were shown. */
export class ScrapedMetrics {
  readonly moved = new Set<string>();
  readonly labels = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly urls: readonly string[]) {}

  start(): void {
    this.timer = setInterval(() => {
      this.running = this.running.then(() => this.scrape());
    }, 500);
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
    await this.scrape();
  }

  private async scrape(): Promise<void> {
    await Promise.all(
      this.urls.map(async url => {
        const answer = await fetch(`${url}/metrics`).catch(() => undefined); // a process that is being started again
        if (answer?.ok) this.take(await answer.text());
      }),
    );
  }

  private take(text: string): void {
    for (const line of text.split('\n')) {
      const [, name = '', labels = '', value] = /^(stave_\w+)(\{.*\})? (\S+)$/.exec(line) ?? [];
      if (name === '') continue;
      for (const [, label = ''] of labels.matchAll(/="((?:[^"\\]|\\.)*)"/g)) this.labels.add(label);
      if (Number(value) !== 0) this.moved.add(name.replace(/_seconds_(bucket|sum|count)$/, '_seconds'));
    }
  }
}

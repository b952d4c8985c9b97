/** The log is damaged in acknowledged events. Nothing was changed. */
export class CorruptLogError extends Error {
  constructor(
    readonly file: string,
    readonly offset: number,
    reason: string,
  ) {
    super(`${file} is damaged at byte ${offset}: ${reason}`);
    this.name = 'CorruptLogError';
  }
}

const FIRST_CAPACITY = 1024;

/** A typed array that doubles its capacity when it is full. */
export class GrowingColumn<T extends Float64Array | Uint32Array> {
  private values: T;

  constructor(private readonly Values: new (length: number) => T) {
    this.values = new Values(FIRST_CAPACITY);
  }

  set(index: number, value: number): void {
    if (index >= this.values.length) {
      const grown = new this.Values(this.values.length * 2);
      grown.set(this.values);
      this.values = grown;
    }
    this.values[index] = value;
  }

  get(index: number): number {
    return this.values[index] ?? 0;
  }
}

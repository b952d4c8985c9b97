const FIRST_CAPACITY = 1024;

/** A typed array that doubles its capacity when it is full. */
export class GrowingColumn<T extends Float64Array | Uint32Array> {
  constructor(
    private values: T,
    private readonly allocate: (length: number) => T,
  ) {}

  static uint32(): GrowingColumn<Uint32Array> {
    return new GrowingColumn(new Uint32Array(FIRST_CAPACITY), length => new Uint32Array(length));
  }

  static float64(): GrowingColumn<Float64Array> {
    return new GrowingColumn(new Float64Array(FIRST_CAPACITY), length => new Float64Array(length));
  }

  set(index: number, value: number): void {
    if (index >= this.values.length) {
      const grown = this.allocate(this.values.length * 2);
      grown.set(this.values);
      this.values = grown;
    }
    this.values[index] = value;
  }

  get(index: number): number {
    return this.values[index] ?? 0;
  }
}

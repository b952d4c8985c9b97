type Numbers = Float64Array<ArrayBuffer> | Int32Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>;

/** Returns the longer array, with the numbers of the shorter one at its beginning. */
export function longer<T extends Numbers>(now: Numbers, next: T): T {
  next.set(now);
  return next;
}

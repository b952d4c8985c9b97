/** For the end of a switch that must know every case. */
export function assertNever(value: never): never {
  throw new TypeError(`not expected: ${JSON.stringify(value)}`);
}

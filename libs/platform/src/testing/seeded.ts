/** Returns the seed of this run: STAVE_TEST_SEED when it is set, else a random number of 31 bits. */
export function testSeed(): number {
  const { STAVE_TEST_SEED: given } = process.env;
  return given === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(given);
}

/** Returns a source of numbers in [0, 1) that depend on the seed only (mulberry32, public domain, Tommy Ettinger). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Runs a test with random numbers. An error of the test gets the setting that repeats the run in its message. */
export async function withSeed(run: (random: () => number) => Promise<void>): Promise<void> {
  const seed = testSeed();
  try {
    await run(seeded(seed));
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${message}\nrepeat with STAVE_TEST_SEED=${seed}`, { cause });
  }
}

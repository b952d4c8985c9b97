// Lets property tests repeat a run: fast-check prints its seed when a property fails.
const { STAVE_TEST_SEED } = process.env;
if (STAVE_TEST_SEED !== undefined) require('fast-check').configureGlobal({ seed: Number(STAVE_TEST_SEED) });

const Sequencer = require('@jest/test-sequencer').default;

/**
 * The files that take minutes, the longest first. Without the times of an earlier run Jest begins with the largest files: a short file that
 * runs every suite of the product would be the last, alone, while the other core has nothing to do.
 */
const longest = [
  'test/simulation/simulation.prop.spec.ts',
  'test/e2e/distributed-servers.e2e.spec.ts',
  'test/e2e/distributed.e2e.spec.ts',
  'test/console/console-pages.e2e.spec.ts',
  'test/simulation/long.e2e.spec.ts',
  'test/e2e/distributed-infrastructure.e2e.spec.ts',
  'test/e2e/embedded-infrastructure.e2e.spec.ts',
  'test/simulation/mutations/mutations.prop.spec.ts',
  'test/fault/services/every-step.e2e.spec.ts',
  'test/fault/ledger/killed-reservations.e2e.spec.ts',
  'test/fault/services/mass-loss.e2e.spec.ts',
  'test/console/console-forms.e2e.spec.ts',
  'test/guides/guides.e2e.spec.ts',
  'test/e2e/embedded.e2e.spec.ts',
  'test/ring/pin.e2e.spec.ts',
  'test/schemathesis/schemathesis.e2e.spec.ts',
  'test/observability/running-metrics.e2e.spec.ts',
];

const placeOf = ({ path }) => {
  const place = longest.findIndex(file => path.endsWith(`/${file}`));
  return place < 0 ? longest.length : place;
};

module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((a, b) => placeOf(a) - placeOf(b));
  }
};

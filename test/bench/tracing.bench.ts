import { counter, traced, traceparent, timings } from '@stave/platform';

const CALLS = 200_000;
/** Spans by hand on the path of one request: request, command, append; and the `traceparent` of two messages. */
const SPANS = 3;

async function microseconds(work: () => Promise<unknown>): Promise<number> {
  for (let i = 0; i < CALLS / 10; i++) await work();
  const begun = process.cpuUsage();
  for (let i = 0; i < CALLS; i++) await work();
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / CALLS;
}

const nothing = (): Promise<void> => Promise.resolve();
const seconds = timings({ name: 'stave_bench_seconds', help: 'of the bench', labels: ['service', 'resource', 'verb'] });
const count = counter({ name: 'stave_bench_total', help: 'of the bench', labels: ['type'] });

/** Prints what tracing that is off, and the metrics of a request, cost in CPU. */
async function main(): Promise<void> {
  const bare = await microseconds(async () => {
    for (let i = 0; i < SPANS; i++) await nothing();
  });
  const off = await microseconds(async () => {
    for (let i = 0; i < SPANS; i++) await traced('bench', {}, nothing);
    traceparent();
    traceparent();
  });
  const measured = await microseconds(async () => {
    for (let i = 0; i < SPANS; i++) await nothing();
    seconds({ service: 'a', resource: 'cluster', verb: 'get' }, 0.002);
    seconds({ service: 'b', resource: 'cluster', verb: 'get' }, 0.002);
    count({ type: 'x' });
  });
  console.log(`tracing that is off: ${(off - bare).toFixed(2)} µs of CPU a request (at most 5)`);
  console.log(`two timings and a count: ${(measured - bare).toFixed(2)} µs of CPU a request`);
}

void main();

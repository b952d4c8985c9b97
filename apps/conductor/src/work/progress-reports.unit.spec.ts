import { systemClock } from '../time/clock.js';

import { ProgressReports } from './progress-reports.js';
import { eventually } from '@stave/platform/testing';

describe('ProgressReports', () => {
  it('closes after the report in progress is answered, and discards later steps', async () => {
    const sent: string[] = [];
    let answer: () => void = () => undefined;
    const reports = new ProgressReports({
      clock: systemClock,
      intervalMs: 1,
      send: step => {
        sent.push(step);
        return new Promise(resolve => (answer = () => resolve({ status: 'accepted' })));
      },
      onAnswer: () => sent.push('answered'),
    });
    reports.note('first');
    reports.note('second');
    await eventually(() => sent.length > 0, 'the newest step is sent');
    reports.note('third');
    const closed = reports.close().then(() => sent.push('closed'));
    await new Promise(resolve => setImmediate(resolve));
    expect(sent).toEqual(['second']);
    answer();
    await closed;
    reports.note('fourth');
    expect(sent).toEqual(['second', 'answered', 'closed']);
  });

  it('sends no report for a task that ends within the interval', async () => {
    const sent: string[] = [];
    const reports = new ProgressReports({
      clock: systemClock,
      intervalMs: 60_000,
      send: step => Promise.resolve({ status: 'accepted', step: sent.push(step) }),
      onAnswer: () => undefined,
    });
    reports.note('only');
    await reports.close();
    expect(sent).toEqual([]);
  });
});

import { systemClock } from '../time/clock.js';
import { ProgressReports } from './progress-reports.js';

describe('progress reports', () => {
  it('closes when the one under way is answered, and drops what came after it', async () => {
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
    const closed = reports.close().then(() => sent.push('closed'));
    await new Promise(resolve => setImmediate(resolve));
    expect(sent).toEqual(['first']);
    answer();
    await closed;
    reports.note('third');
    expect(sent).toEqual(['first', 'answered', 'closed']);
  });
});

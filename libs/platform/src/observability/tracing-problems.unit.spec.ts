import { diag } from '@opentelemetry/api';
import { processMetrics } from './process-metrics.js';
import { reportTracingProblems } from './tracing-problems.js';

describe('problems that OpenTelemetry reports', () => {
  it('each is counted, and a line of the log has the number of those since the line before it', async () => {
    const lines: object[] = [];
    let now = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
    const end = reportTracingProblems({ warn: (fields: object) => void lines.push(fields) }, 1_000);
    try {
      diag.error(JSON.stringify({ name: 'OTLPExporterError', message: 'Bad Request', code: '400', stack: 'at …' }));
      diag.warn('Dropped 7 spans');
      diag.info('started');
      now = 999;
      diag.error('again');
      now = 1_000;
      diag.error('and again');
    } finally {
      clock.mockRestore();
      end();
    }
    diag.error('after the end');
    expect(lines).toEqual([
      { problem: 'OTLPExporterError 400 Bad Request', unsaid: 0 },
      { problem: 'and again', unsaid: 2 },
    ]);
    const text = await processMetrics().text();
    expect(text).toContain('stave_tracing_problems_total{level="error"} 3');
    expect(text).toContain('stave_tracing_problems_total{level="warn"} 1');
  });
});

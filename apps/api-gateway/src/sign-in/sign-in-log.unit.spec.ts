import { createLogger } from '@stave/platform';
import { SignInLog } from './sign-in-log.js';

describe('the log of failed sign-ins', () => {
  it('has a line in a second for each issuer, however many sign-ins fail', () => {
    const lines: string[] = [];
    let now = 0;
    const log = createLogger('api-gateway', 'info', { write: line => void lines.push(line) });
    const signIns = new SignInLog(log, () => now);
    const attempt = (issuer: string): void => signIns.failed(issuer, 'a sign-in failed', { err: 'refused' });
    for (let i = 0; i < 1_000; i += 1) attempt('https://a.example');
    attempt('https://b.example');
    now = 1_000;
    attempt('https://a.example');
    expect(lines.map(line => (JSON.parse(line) as { issuer: string }).issuer)).toEqual([
      'https://a.example',
      'https://b.example',
      'https://a.example',
    ]);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 40, err: 'refused', msg: 'a sign-in failed' });
  });
});

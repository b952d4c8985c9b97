import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { advice } from './advice.js';
import { IMAGE_CHECK } from './image-folder.js';
import { conformanceReport } from './report.js';

describe('The conformance report', () => {
  it('has advice for exactly the checks of the conformance kit and of the folder of the image', () => {
    const kit = join(__dirname, '../conformance');
    const sources = readdirSync(kit).filter(file => /contract\.ts$|describe-driver\.ts$/.test(file));
    const titles = sources.flatMap(file =>
      [...readFileSync(join(kit, file), 'utf8').matchAll(/check\(\s*'([^']+)'/g)].map(([, title]) => title),
    );
    expect(titles.length).toBeGreaterThan(20);
    expect([...new Set([...titles, IMAGE_CHECK])].sort()).toEqual(Object.keys(advice).sort());
  });

  it('counts the checks of each part, and shows the reason of a failure without its stack', () => {
    const text = conformanceReport('a@1.0.0', [
      { part: 'node', title: 'adopts what a repeated create finds', passed: true },
      { part: 'node', title: 'x', passed: false, failure: '\u001b[31mError: two\u001b[39m\n\n    at f (file.ts:1)' },
    ]);
    expect(text).toContain('node                 1 of 2\n    ✗ x\n        Error: two\n');
    expect(text).not.toContain('file.ts');
    expect(text).toContain('a@1.0.0 does not conform to the contract: 1 of 2');
  });
});

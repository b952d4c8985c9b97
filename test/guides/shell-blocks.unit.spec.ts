import { shellBlocks } from './shell-blocks.js';

const page = [
  '# Page',
  '',
  '```sh',
  'echo one',
  '```',
  '',
  '<!-- not run: it never ends -->',
  '',
  '```sh',
  'npm start',
  '```',
  '',
];

it('shellBlocks finds the shell blocks of a page with their lines, except those marked as not run', () => {
  expect(shellBlocks(page.join('\n'))).toEqual([{ line: 3, text: 'echo one\n' }]);
});

it('shellBlocks ignores blocks of other languages', () => {
  expect(shellBlocks('```json\n{}\n```\n')).toEqual([]);
});

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

it('finds the shell blocks of a page with their lines, without those that are marked as not run', () => {
  expect(shellBlocks(page.join('\n'))).toEqual([{ line: 3, text: 'echo one\n' }]);
});

it('leaves blocks of other languages alone', () => {
  expect(shellBlocks('```json\n{}\n```\n')).toEqual([]);
});

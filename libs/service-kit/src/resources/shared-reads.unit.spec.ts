import { SharedReads } from './shared-reads.js';

interface Begun {
  readonly key: string;
  readonly resolve: (value: string) => void;
  readonly reject: (error: unknown) => void;
}

const begun: Begun[] = [];
let reads: SharedReads<string>;
beforeEach(() => {
  begun.length = 0;
  reads = new SharedReads(key => new Promise((resolve, reject) => begun.push({ key, resolve, reject })));
});
const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

it('a read never answers who asked after it began: those share the next one', async () => {
  const first = reads.of('a');
  await turn();
  const [second, third] = [reads.of('a'), reads.of('a')];
  await turn();
  expect(begun).toHaveLength(1);
  begun[0]?.resolve('old');
  await turn();
  expect(begun).toHaveLength(2);
  begun[1]?.resolve('new');
  expect(await Promise.all([first, second, third])).toEqual(['old', 'new', 'new']);
});

it('a failed read fails for those who share it, and the next one begins', async () => {
  const first = reads.of('a');
  await turn();
  const second = reads.of('a');
  begun[0]?.reject(new Error('away'));
  await expect(first).rejects.toThrow('away');
  await turn();
  begun[1]?.resolve('back');
  expect(await second).toBe('back');
});

it('keys do not wait for each other', async () => {
  void reads.of('a');
  void reads.of('b');
  await turn();
  expect(begun.map(({ key }) => key)).toEqual(['a', 'b']);
});

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aDriverContext } from '@stave/driver-sdk/testing';
import { Cloud } from './cloud.js';
import { SealedSecrets } from './sealed-secrets.js';

const cloudWith = (password: string): Cloud =>
  new Cloud(
    { authUrl: 'http://127.0.0.1:1/v3', user: { id: 'u' }, password, project: { id: 'p' }, interface: 'public' },
    { firstMs: 1, longestMs: 1, stallMs: 1 },
  );
const cloud = cloudWith('password of the cloud');
const values = { certificate: 'cert', key: 'a very secret key' };
const keyFile = (text: string): string => {
  const path = join(mkdtempSync(join(tmpdir(), 'stave-key-')), 'key');
  writeFileSync(path, text);
  return path;
};
const ctx = aDriverContext();

describe('secrets of clusters', () => {
  it('are read by every conductor with the same password, and differ each time', async () => {
    const [one, other] = [SealedSecrets.in({}, 'i1'), SealedSecrets.in({}, 'i1')];
    const sealed = one.seal(cloud, 'c1', values);
    expect(Buffer.from(sealed, 'base64').toString('latin1')).not.toContain('secret');
    expect(one.seal(cloud, 'c1', values)).not.toBe(sealed);
    expect(await other.open(ctx, cloud, 'c1', sealed)).toEqual(values);
  });

  it('become known to the store of the conductor', async () => {
    const stored: string[] = [];
    const secrets = { ...ctx.secrets, put: async (_: string, value: string) => void stored.push(value) };
    const subject = SealedSecrets.in({}, 'i1');
    await subject.open({ secrets }, cloud, 'c1', subject.seal(cloud, 'c1', values));
    expect(stored).toEqual(Object.values(values));
  });

  it('are refused permanently with another password, for another cluster or installation, when changed, and when missing', async () => {
    const subject = SealedSecrets.in({}, 'i1');
    const sealed = subject.seal(cloud, 'c1', values);
    const changed = `A${sealed.slice(1, -4)}AAAA`;
    const attempts = [
      subject.open(ctx, cloudWith('another one'), 'c1', sealed),
      subject.open(ctx, cloud, 'c2', sealed),
      SealedSecrets.in({}, 'i2').open(ctx, cloud, 'c1', sealed),
      subject.open(ctx, cloud, 'c1', changed),
      subject.open(ctx, cloud, 'c1', undefined),
    ];
    for (const attempt of attempts)
      await expect(attempt).rejects.toMatchObject({
        failure: 'permanent',
        message: expect.stringContaining('password'),
      });
  });

  it('survive a change of the key when the former one stays in the file', async () => {
    const before = SealedSecrets.in({ HEAT_KEY_FILE: keyFile('first key of the clusters\n') }, 'i1');
    const sealed = before.seal(cloud, 'c1', values);
    const after = SealedSecrets.in(
      { HEAT_KEY_FILE: keyFile('second key of the clusters\nfirst key of the clusters\n') },
      'i1',
    );
    expect(await after.open(ctx, cloudWith('changed'), 'c1', sealed)).toEqual(values);
    const without = SealedSecrets.in({ HEAT_KEY_FILE: keyFile('second key of the clusters\n') }, 'i1');
    await expect(without.open(ctx, cloud, 'c1', sealed)).rejects.toMatchObject({ failure: 'permanent' });
  });

  it('need a key file that exists and has a key, and no message shows it', () => {
    expect(() => SealedSecrets.in({ HEAT_KEY_FILE: '/nowhere/key' }, 'i1')).toThrow('/nowhere/key');
    const short = (): SealedSecrets => SealedSecrets.in({ HEAT_KEY_FILE: keyFile('s3cret\n') }, 'i1');
    expect(short).toThrow('at least 16 characters');
    expect(short).not.toThrow('s3cret');
  });
});

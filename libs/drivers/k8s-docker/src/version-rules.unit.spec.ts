import { aNodeSpec } from '@stave/driver-sdk/testing';
import { requireVersion } from './version-rules.js';

const plane = (nodeId: string, version: string, state = 'running') => ({ nodeId, role: 'manager', version, state });
const worker = (nodeId: string, version: string) => ({ nodeId, role: 'worker', version, state: 'running' });
const manager = (id: string) => aNodeSpec({ id, name: id, role: 'manager' });
const member = (id: string) => aNodeSpec({ id, name: id, role: 'worker' });

describe('the version of a node', () => {
  it('may be that of the control planes, or older by three minor versions', () => {
    const planes = [plane('m', '1.34.2')];
    for (const version of ['1.34.2', '1.34.9', '1.33.0', '1.31.0'])
      expect(() => requireVersion(member('w'), version, planes)).not.toThrow();
    const tooOld = () => requireVersion(member('w'), '1.30.1', planes);
    expect(tooOld).toThrow('1.30.1 is too old for an API of 1.34.2');
  });

  it('of a worker follows the control planes', () => {
    const early = () => requireVersion(member('w'), '1.35.0', [plane('m', '1.34.2'), worker('w', '1.34.2')]);
    expect(early).toThrow(expect.objectContaining({ failure: 'permanent', code: 'version-skew' }));
    const between = [plane('m1', '1.35.0'), plane('m2', '1.34.2'), worker('w', '1.34.2')];
    expect(() => requireVersion(member('w'), '1.35.0', between)).toThrow('1.35.0 is newer than the API, 1.34.2');
    expect(() => requireVersion(member('w'), '1.35.0', [plane('m', '1.35.0')])).not.toThrow();
  });

  it('of a control plane skips no minor version, leaves no worker behind, and is not reduced', () => {
    const members = [plane('m1', '1.34.2'), worker('w', '1.31.4')];
    expect(() => requireVersion(manager('m2'), '1.34.5', members)).not.toThrow();
    expect(() => requireVersion(manager('m2'), '1.35.0', members)).toThrow('1.31.4 is too old for an API of 1.35.0');
    expect(() => requireVersion(manager('m2'), '1.36.0', members.slice(0, 1))).toThrow('two minor versions after');
    expect(() => requireVersion(manager('m2'), '1.33.0', members)).toThrow('older than the control planes, 1.34.2');
    expect(() => requireVersion(manager('m2'), '1.34.0', members)).not.toThrow();
  });

  it('of the only control plane stays, unless it does not run', () => {
    const only = [plane('m', '1.34.2'), worker('w', '1.34.2')];
    const code = 'only-control-plane';
    expect(() => requireVersion(manager('m'), '1.34.3', only)).toThrow(expect.objectContaining({ code }));
    expect(() => requireVersion(manager('m'), '1.34.3', [plane('m', '1.34.2', 'exited')])).not.toThrow();
    expect(() => requireVersion(manager('m'), '1.34.3', [...only, plane('m2', '1.34.3')])).not.toThrow();
  });

  it('is not asked for where a node gets the version again that it has, and an old problem stops nothing else', () => {
    const members = [plane('m', '1.34.2'), worker('w', '1.35.0')];
    expect(() => requireVersion(member('w'), '1.35.0', members)).not.toThrow();
    expect(() => requireVersion(member('x'), '1.34.2', members)).not.toThrow();
    expect(() => requireVersion(manager('m'), '1.34.2', members)).not.toThrow();
  });
});

import { outlineCluster } from '@stave/domain';
import type { FoundSources } from '../sources/source-finder.js';
import { clusterRequest, type ClusterInput } from './cluster-request.js';
import { driverProblems } from './driver-problems.js';

const least = { minimumFlavor: { memoryMb: 128, cpus: 0.1 } };
const options = { options: { type: 'object', properties: { size: { type: 'integer' } }, additionalProperties: false } };
const template = { type: 'clusterTemplate', id: 't', name: 'shop' } as const;
const web = { type: 'nodeGroupTemplate', id: 'w', name: 'web' } as const;

const reported = (manifest: object, body: ClusterInput, found: FoundSources = { groups: [] }): readonly string[][] =>
  driverProblems({ ...manifest }, outlineCluster(clusterRequest(body, found))).map(p => [p.pointer, p.code, p.detail]);
const places = (...args: Parameters<typeof reported>): readonly string[][] => reported(...args).map(p => p.slice(0, 2));

describe('driverProblems', () => {
  it('reports each flavor below the minimum at its place, the default flavor once', () => {
    const nodeGroups = [{}, { flavor: { cpus: 1, memoryMb: 128 } }, { flavor: { cpus: 0.05, memoryMb: 64 } }];
    const problems = reported(least, { nodeGroups, defaults: { flavor: { cpus: 1, memoryMb: 127 } } });
    expect(problems.map(p => p.slice(0, 2))).toEqual([
      ['/defaults/flavor/memoryMb', 'below-minimum-flavor'],
      ['/nodeGroups/2/flavor/cpus', 'below-minimum-flavor'],
      ['/nodeGroups/2/flavor/memoryMb', 'below-minimum-flavor'],
    ]);
    expect(problems[2]?.[2]).toBe('nodes of this driver need at least 128 memoryMb, not 64');
  });

  it('reports no flavor without a minimum in the manifest', () => {
    expect(reported({}, { nodeGroups: [{ flavor: { cpus: 0.01, memoryMb: 1 } }] })).toEqual([]);
  });

  it('points to the source of an invalid value, and names it', () => {
    const flavor = { cpus: 1, memoryMb: 64 };
    const group = { ref: web, attributes: { flavor, options: { speed: 1 } }, marks: {} };
    const from = { ref: template, attributes: { defaults: { flavor } }, marks: {}, groups: [group] };
    const entry = { name: 'own' };
    expect(reported({ ...least, ...options }, { nodeGroups: [entry] }, { from, groups: [group] })).toEqual([
      ['/from', 'unknown-option', 'node group template web: options/speed: must NOT have additional properties'],
      ['/nodeGroups/0/from', 'unknown-option', expect.stringContaining('web: options/speed')],
      [
        '/from',
        'below-minimum-flavor',
        expect.stringContaining('cluster template shop: defaults/flavor/memoryMb: nodes of this driver'),
      ],
      [
        '/from',
        'below-minimum-flavor',
        expect.stringContaining('node group template web: flavor/memoryMb: nodes of this driver'),
      ],
      ['/nodeGroups/0/from', 'below-minimum-flavor', expect.stringContaining('web: flavor/memoryMb')],
    ]);
    const better = [{ name: 'WEB', flavor: { cpus: 1, memoryMb: 256 }, options: { size: 'x' } }];
    const defaults = { flavor: { cpus: 1, memoryMb: 512 } };
    expect(places({ ...least, ...options }, { defaults, nodeGroups: better }, { from, groups: [] })).toEqual([
      ['/nodeGroups/0/options/size', 'invalid-option'],
    ]);
  });

  it('requires a manager among the resulting groups', () => {
    const managed = { requiresManager: true };
    const manager = { ref: web, attributes: { role: 'manager', count: 1 } as const, marks: {} };
    const from = { ref: template, attributes: {}, marks: {}, groups: [manager] };
    const worker = [{ name: 'w', role: 'worker' as const }];
    expect(places(managed, { nodeGroups: worker })).toEqual([['/nodeGroups', 'manager-required']]);
    expect(places(managed, { nodeGroups: worker }, { from, groups: [] })).toEqual([]);
    expect(places(managed, { nodeGroups: [{ name: 'web', count: 0 }] }, { from, groups: [] })).toHaveLength(1);
    expect(places(managed, { nodeGroups: [{}] }, { groups: [manager] })).toEqual([]);
    const worn = { ...manager, attributes: { role: 'worker' } as const };
    expect(places(managed, {}, { from: { ...from, groups: [worn] }, groups: [] })).toEqual([
      ['/from', 'manager-required'],
    ]);
  });
});

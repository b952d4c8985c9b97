import type { PicturedFleet } from './pictured-fleet.js';

/** A page of the console: where it is, its title, and the name of its picture. */
export interface PicturedPage {
  readonly name: string;
  readonly path: string;
  readonly title: string | RegExp;
}

type Row = readonly [name: string, path: string, title: string | RegExp];

/** Every page and every part of a page. */
export const pagesOf = (fleet: PicturedFleet): readonly PicturedPage[] =>
  [...workload(fleet), ...rest(fleet)].map(([name, path, title]) => ({ name, path, title }));

function workload(fleet: PicturedFleet): readonly Row[] {
  const { shop, payments, workers, batch, web, placed, waiting, node, nodeThatWaits, memberThatWaits } = fleet;
  return [
    ['overview', '/', 'Overview'],
    ['clusters', '/clusters', 'Clusters'],
    ['cluster', `/clusters/${shop}`, 'shop'],
    ['cluster-degraded', `/clusters/${payments}`, 'payments'],
    ['cluster-topology', `/clusters/${shop}/topology`, 'shop'],
    ['cluster-containers', `/clusters/${shop}/containers`, 'shop'],
    ['cluster-policies', `/clusters/${shop}/policies`, 'shop'],
    ['cluster-operations', `/clusters/${shop}/operations`, 'shop'],
    ['cluster-history', `/clusters/${shop}/history`, 'shop'],
    ['node-group-why', `/groups/${workers}`, 'workers'],
    ['node-group-autoscaling', `/groups/${batch}/autoscaling`, 'batch'],
    ['node-group-nodes', `/groups/${workers}/nodes`, 'workers'],
    ['node', `/nodes/${node}`, /^workers-/],
    ['node-release', `/nodes/${nodeThatWaits}`, /^racks-/],
    ['sets', '/sets', 'Container sets'],
    ['set', `/sets/${web}`, 'web'],
    ['set-autoscaling', `/sets/${web}/autoscaling`, 'web'],
    ['set-why', `/sets/${web}/why`, 'web'],
    ['containers', '/containers', 'Containers'],
    ['container-waits', `/containers/${waiting}`, 'render-1'],
    ['container-release', `/containers/${memberThatWaits}`, /^queue-/],
    ['container-why', `/containers/${placed}`, 'search-canary'],
    ['container-logs', `/containers/${placed}/logs`, 'search-canary'],
    ['container-history', `/containers/${placed}/history`, 'search-canary'],
  ];
}

function rest({ operation, policy, template, profile, machine, project }: PicturedFleet): readonly Row[] {
  return [
    ['operations', '/operations', 'Operations'],
    ['operation', `/operations/${operation}`, 'Create cluster payments'],
    ['history', '/history', 'History'],
    ['policies', '/policies', 'Policies'],
    ['policy', `/policies/${policy}`, 'two-zones'],
    ['policy-attachments', `/policies/${policy}/attachments`, 'two-zones'],
    ['policy-change', `/change/policy?id=${policy}`, 'Change two-zones'],
    ['templates', '/templates/clusters', 'Templates'],
    ['template', `/templates/cluster/${template}`, 'edge-site'],
    ['profile', `/profiles/${profile}`, 'web'],
    ['machines', '/machines', 'Machines'],
    ['machine', `/machines/${machine}/json`, 'rack-1'],
    ['fleet', '/fleet', 'Fleet'],
    ['access', '/access', 'Access'],
    ['project-quotas', '/access/default', 'default'],
    ['project-members', '/access/default/members', 'default'],
    ['project-keys', '/access/default/keys', 'default'],
    ['project-audit', '/access/default/audit', 'default'],
    ['project', `/access/${project}/history`, 'payments'],
    ['new-cluster', '/change/cluster', 'New cluster'],
    ['new-node-group', '/change/node-group?cluster=shop', 'New node group of shop'],
    ['new-set', '/change/container-set', 'New container set'],
    ['new-policy', '/change/policy', 'New policy'],
  ];
}

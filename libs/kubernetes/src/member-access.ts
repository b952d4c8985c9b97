import { yamlDocument, type Manifest } from '@stave/bootstrap';
import type { KubernetesUser } from './kubernetes-api.js';

/** The group of the identity that members of a project get. */
export const memberGroup = 'stave:members';
/** That identity: of their kubeconfigs, and behind the operations of a driver. */
export const memberUser: KubernetesUser = { name: 'stave-member', groups: [memberGroup] };

/** A manifest that is given as text. */
export type OwnManifest = Extract<Manifest, { readonly text: string }>;

const rbac = 'rbac.authorization.k8s.io';

/** Returns the text of a manifest of several objects. */
export const documents = (objects: readonly object[]): string => objects.map(yamlDocument).join('---\n');

/**
 * Returns what members of a project may do: change what is in the namespace `default`, and see everything but secrets. They can change neither
 * namespaces nor nodes nor the rights of others, and run nothing in other namespaces.
 */
export function memberAccess(): OwnManifest {
  const subjects = [{ apiGroup: rbac, kind: 'Group', name: memberGroup }];
  const metadata = { name: 'stave-members' };
  const seen = { apiGroups: [''], resources: ['nodes', 'persistentvolumes'], verbs: ['get', 'list', 'watch'] };
  const role = (name: string) => ({ roleRef: { apiGroup: rbac, kind: 'ClusterRole', name }, subjects });
  const text = documents([
    { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name: 'stave-nodes-viewer' }, rules: [seen] },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: 'stave-nodes-viewer' },
      ...role('stave-nodes-viewer'),
    },
    { apiVersion: `${rbac}/v1`, kind: 'ClusterRoleBinding', metadata, ...role('view') },
    { apiVersion: `${rbac}/v1`, kind: 'RoleBinding', metadata: { ...metadata, namespace: 'default' }, ...role('edit') },
  ]);
  return { name: 'member-access', text };
}

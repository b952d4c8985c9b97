import {
  closeGroups,
  clusterGroupsStream,
  registerGroups,
  unregisterGroup,
  type ClusterGroupsEvent,
} from './cluster-groups.js';
import { given } from '../kernel/given.fixture.js';

const registry = clusterGroupsStream;
const registered = (groupId: string, name = groupId): ClusterGroupsEvent => ({
  type: 'NodeGroupRegistered',
  data: { groupId, name },
});
const gone = (groupId: string): ClusterGroupsEvent => ({ type: 'NodeGroupUnregistered', data: { groupId } });
const closed: ClusterGroupsEvent = { type: 'ClusterGroupsClosed', data: {} };
const emptied: ClusterGroupsEvent = { type: 'ClusterGroupsRemoved', data: {} };
const group = (id: string, name = id) => [{ id, name }];

it('the group registry of a cluster registers each group once', () => {
  given(registry)
    .when(s => registerGroups(s, [...group('a'), ...group('b')]))
    .then(registered('a'), registered('b'));
  given(registry, registered('a'))
    .when(s => registerGroups(s, group('a')))
    .then();
});
it('a removed group is not registered again, and its name is free', () => {
  given(registry, registered('a', 'n'), gone('a'))
    .when(s => registerGroups(s, group('a', 'n')))
    .then();
  given(registry, registered('a', 'n'), gone('a'))
    .when(s => registerGroups(s, group('b', 'N')))
    .then(registered('b', 'N'));
});
it('group names are compared without regard to case', () =>
  given(registry, registered('a', 'Web'))
    .when(s => registerGroups(s, group('b', 'wEB')))
    .thenRefused('name-taken'));
it('a cluster has at most 100 groups', () => {
  const many = Array.from({ length: 100 }, (_, i) => registered(`g${i}`));
  given(registry, ...many)
    .when(s => registerGroups(s, group('x')))
    .thenRefused('too-many-groups');
  given(registry, ...many.slice(1))
    .when(s => registerGroups(s, group('x')))
    .then(registered('x'));
});
it('a closed registry refuses new groups, and reports once that all groups are removed', () => {
  given(registry, registered('a'), closed)
    .when(s => registerGroups(s, group('b')))
    .thenRefused('being-deleted');
  given(registry, registered('a')).when(closeGroups).then(closed);
  given(registry, registered('a'), closed).when(closeGroups).then();
  given(registry, registered('a'), closed, gone('a')).when(closeGroups).then(emptied);
  given(registry, closed, emptied).when(closeGroups).then();
  given(registry).when(closeGroups).then(closed, emptied);
});
it('the registry unregisters a group once', () => {
  given(registry, registered('a'))
    .when(s => unregisterGroup(s, 'a'))
    .then(gone('a'));
  given(registry)
    .when(s => unregisterGroup(s, 'a'))
    .then();
});

import type { ListFields } from '../schemas/list-fields.js';
import { selectFields } from './field-selection.js';
import { listQueryOf } from './list-query.js';

const fields: ListFields = {
  filters: {
    name: 'name',
    status: 'exact',
    clusterId: 'reference',
    zone: ['text', 'zones.name'],
    count: 'number',
    schedulable: 'boolean',
  },
  sorts: ['createdAt', 'name', 'count'],
  labels: true,
};
const filterOf = (query: Record<string, unknown>): unknown => listQueryOf(query, fields).filter;

describe('listQueryOf', () => {
  it.each([
    [{}, {}],
    [{ status: 'ACTIVE' }, { status: 'ACTIVE' }],
    [{ status: 'ACTIVE,FAILED,ACTIVE' }, { status: { $in: ['ACTIVE', 'FAILED'] } }],
    [{ name: 'Web,DB' }, { nameKey: { $in: ['web', 'db'] } }],
    [{ 'name~': 'We.b' }, { nameKey: { $regex: '^we\\.b' } }],
    [{ zone: 'a' }, { 'zones.name': 'a' }],
    [{ 'zone~': 'eu-' }, { 'zones.name': { $regex: '^eu\\-' } }],
    [{ count: '3,10' }, { count: { $in: [3, 10] } }],
    [{ schedulable: 'false' }, { schedulable: false }],
    [{ 'labels.env': 'prod' }, { labelPairs: 'env=prod' }],
    [{ 'labels.a.b/c': 'a,b' }, { labelPairs: { $in: ['a.b/c=a', 'a.b/c=b', 'a.b/c=a,b'] } }],
    [{ 'labels.env~': 'pr' }, { labelPairs: { $regex: '^env=pr' } }],
    [{ 'labels.env~': '' }, { labelPairs: { $regex: '^env=' } }],
    [{ status: 'A', 'name~': 'x' }, { $and: [{ status: 'A' }, { nameKey: { $regex: '^x' } }] }],
  ])('turns the query %j into a filter', (query, filter) => {
    expect(filterOf(query)).toEqual(filter);
  });

  it('accepts an empty filter for an optional reference', () => {
    const query = listQueryOf(
      { clusterTemplateId: '' },
      { filters: { clusterTemplateId: 'optionalReference' }, sorts: [] },
    );
    expect(query).toMatchObject({ filter: {}, references: { clusterTemplateId: [''] } });
  });

  it('passes the references of a list query to the service and sorts names by their key', () => {
    expect(listQueryOf({ clusterId: 'web,db', sort: '-name,count' }, fields)).toEqual({
      limit: 50,
      filter: {},
      references: { clusterId: ['web', 'db'] },
      sort: [
        ['nameKey', -1],
        ['count', 1],
      ],
    });
  });
});

describe('selectFields', () => {
  const document = {
    id: 'a',
    name: 'web',
    labels: { env: 'prod', 'a.b': 'x' },
    nodeCounts: { total: 3, ready: 2 },
    zones: [1],
  };

  it.each([
    ['name', { id: 'a', name: 'web' }],
    ['labels,nodeCounts', { id: 'a', labels: document.labels, nodeCounts: document.nodeCounts }],
    ['nodeCounts.ready,labels.a.b', { id: 'a', nodeCounts: { ready: 2 }, labels: { 'a.b': 'x' } }],
    ['nodeCounts.ready,nodeCounts.total', { id: 'a', nodeCounts: { ready: 2, total: 3 } }],
    ['nodeCounts.ready,nodeCounts', { id: 'a', nodeCounts: { ready: 2, total: 3 } }],
    ['zones.0,nothing,nodeCounts.nothing', { id: 'a', nodeCounts: {} }],
  ])('selects the fields %s', (wanted, expected) => {
    expect(selectFields(document, wanted)).toEqual(expected);
  });
});

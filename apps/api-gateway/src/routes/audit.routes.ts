import { auditEntry, closed, named, oneOf, primitives as p } from '@stave/contracts/schemas';
import { page } from '../schemas/resource.schema.js';
import { route } from './route.js';

const text = p.text(255, 1);

export const auditRoute = route('listAudit', 'GET', '/v1/audit', {
  summary: 'List the changes that were asked for, accepted and refused ones, the newest first',
  description: 'A page can be short, or empty, and still have a next page: one request examines 20,000 entries.',
  access: 'operator',
  query: closed({
    limit: p.whole(1, 500),
    cursor: p.text(4096, 1),
    projectId: text,
    subject: text,
    operation: text,
    outcome: oneOf('accepted', 'refused'),
    code: text,
    since: { ...p.dateTime, maxLength: 64, description: 'entries of this time and later ones' },
  }),
  answers: { 200: page(named('AuditEntry', auditEntry), {}) },
});

import { expectStatus, type StaveClient } from '@stave/testing';

/** Uses every operation of what a project has, limits and members, of the audit and of the sign-in. */
export async function documentedProject(api: StaveClient, id: string): Promise<void> {
  const [quotas, members] = [`/v1/projects/${id}/quotas`, `/v1/projects/${id}/members`];
  await api.read(quotas);
  expectStatus(await api.put(quotas, { limits: { clusters: 5, keys: 3 } }), 200);
  const member = `${members}/${encodeURIComponent('google|alice@example.com')}`;
  expectStatus(await api.put(member, { role: 'member' }), 200);
  await api.read(members);
  expectStatus(await api.delete(member), 204);
  await api.read('/v1/audit?limit=1');
  await api.read('/v1/auth');
  expectStatus(await api.send('POST', '/v1/auth/logout'), 204);
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeOn, repositoryRoot } from '@stave/testing';
import { hadolint, hadolintMissing } from './chart.js';

describeOn(hadolintMissing(), 'deploy/image/Dockerfile', () => {
  const path = join(repositoryRoot(), 'deploy/image/Dockerfile');

  it('hadolint has no objection', () => {
    expect(hadolint(path)).toEqual({ code: 0, out: '', err: '' });
  });

  it('its user is the one of the pods', () => {
    const user = /^USER (\d+):(\d+)$/m.exec(readFileSync(path, 'utf8'))?.slice(1);
    const helpers = readFileSync(join(repositoryRoot(), 'deploy/helm/stave/templates/_helpers.tpl'), 'utf8');
    expect(user).toEqual([/runAsUser: (\d+)/.exec(helpers)?.[1], /runAsGroup: (\d+)/.exec(helpers)?.[1]]);
  });
});

import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeOn, itOn } from '@stave/driver-sdk/testing';
import { bootstrapNode, cloudInitDocument, ignitionDocument, kubernetesUpgrade } from './index.js';
import { nodes } from './testing/descriptions.fixture.js';
import {
  checkersMissing,
  runIgnition,
  shellcheck,
  validateCloudInit,
  validateIgnition,
} from './testing/document-checkers.fixture.js';

describeOn(checkersMissing(), 'the documents of machines, as those check them who read them', () => {
  describe.each(Object.entries(nodes))('%s', (_, node) => {
    it('ShellCheck finds nothing in its scripts', () => {
      const scripts = bootstrapNode(node).files.filter(file =>
        /^#!|\.sh$/m.test(`${file.content.slice(0, 2)}\n${file.path}`),
      );
      expect(scripts.length).toBeGreaterThan(5);
      for (const { path, content } of scripts)
        expect({ path, found: shellcheck(content) }).toEqual({ path, found: '' });
    });

    it('cloud-init accepts its user data', () => {
      expect(validateCloudInit(cloudInitDocument(bootstrapNode(node)))).toEqual([]);
    });

    it('Ignition accepts its document', () => {
      expect(validateIgnition(ignitionDocument(bootstrapNode(node)))).toBe('');
    });
  });

  it('the scripts of an upgrade are right, too', () => {
    for (const node of Object.values(nodes)) {
      if (node.engine !== 'kubernetes') continue;
      for (const { name, script } of kubernetesUpgrade(node, { kind: 'first-control-plane', to: '1.35.1' }))
        expect({ name, found: shellcheck(script) }).toEqual({ name, found: '' });
    }
  });

  const notRoot = process.getuid?.() === 0 ? undefined : 'Ignition gives files to root';
  itOn(notRoot, 'Ignition writes every file with its content and its permissions', async () => {
    const machine = bootstrapNode(nodes['worker of Kubernetes on Fedora CoreOS']!);
    const root = mkdtempSync(join(tmpdir(), 'stave-ignition-'));
    runIgnition(ignitionDocument(machine), root);
    for (const { path, content, mode } of machine.files) {
      const written = {
        path,
        content: readFileSync(join(root, path), 'utf8'),
        mode: statSync(join(root, path)).mode & 0o777,
      };
      expect(written).toEqual({ path, content, mode });
    }
    const unit = join(root, 'etc/systemd/system/kubelet.service.d/10-kubeadm.conf');
    expect(readFileSync(unit, 'utf8')).toContain('KUBELET_KUBEADM_ARGS');
    rmSync(root, { recursive: true });
  });

  it('the checkers refuse what is wrong', () => {
    expect(shellcheck('#!/bin/bash\nrm $x\n')).toContain('SC2086');
    expect(validateCloudInit('#cloud-config\nwrite_files: [{path: 5}]\n')).not.toEqual([]);
    expect(validateIgnition('{"ignition":{"version":"3.3.0"},"storage":{"files":[{"path":"relative"}]}}')).not.toBe('');
  });
});

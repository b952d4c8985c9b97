import { join } from 'node:path';
import type { DriverSettings } from '@stave/driver-sdk';
import { kubernetesOn, type EngineDefinition } from '@stave/heat';

const templates = join(__dirname, '..', 'templates');

/** Kubernetes on Fedora CoreOS. */
export const k8sCoreos = (env: DriverSettings['env']): EngineDefinition =>
  kubernetesOn({ os: 'fedora-coreos', userData: 'ignition', templates }, env);

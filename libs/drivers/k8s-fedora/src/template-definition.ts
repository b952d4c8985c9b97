import { join } from 'node:path';
import type { DriverSettings } from '@stave/driver-sdk';
import { kubernetesOn, type EngineDefinition } from '@stave/heat';

const templates = join(__dirname, '..', 'templates');

/** Kubernetes on Fedora. */
export const k8sFedora = (env: DriverSettings['env']): EngineDefinition =>
  kubernetesOn({ os: 'fedora', userData: 'cloud-init', templates }, env);

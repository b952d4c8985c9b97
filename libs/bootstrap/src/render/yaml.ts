import { stringify } from 'yaml';

/**
 * Returns a document of YAML for readers of version 1.1, such as Kubernetes and cloud-init: a text such as `yes` or `12:30`, which is none there, is
 * quoted.
 */
export const yamlDocument = (value: unknown): string => stringify(value, { lineWidth: 0, compat: 'yaml-1.1' });

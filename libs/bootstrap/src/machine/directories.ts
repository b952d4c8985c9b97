/** Scripts, which are the same for the life of the machine. */
export const libDirectory = '/usr/local/lib/stave';
/** What the description of the node contains: configuration and, until the node is ready, secrets. Only root reads it. */
export const configDirectory = '/etc/stave';
/** Secrets that only the bootstrapping needs; removed when the node is ready. */
export const secretsDirectory = `${configDirectory}/once`;
/** What was done on this machine already. */
export const stateDirectory = '/var/lib/stave';

import type { CertificateAuthority } from '@stave/bootstrap';
import type { SecretValues } from '@stave/heat';

/** The port at which managers offer the API of their engine. */
export const apiPort = 2_376;
/** In the certificates of all managers, because the addresses of most are not known before they boot. */
export const managerName = 'manager.stave.internal';

/** Returns the authority of a cluster, which all its engines and clients trust. */
export const authorityIn = ({ certificate = '', key = '' }: SecretValues): CertificateAuthority => ({
  certificate,
  key,
});

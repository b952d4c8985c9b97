const unknownAuthority = ['SELF_SIGNED_CERT_IN_CHAIN', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'CERT_UNTRUSTED'];

/** Returns what to do when the API has given no answer, by the code of the reason. */
export function connectionRemedy(reason: string): string {
  if (unknownAuthority.includes(reason) || reason.startsWith('UNABLE_TO_'))
    return 'The certificate is of an authority that is not trusted here: name its file in NODE_EXTRA_CA_CERTS.';
  if (reason === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return 'The certificate is for another name: use an address that it names, or a certificate for this one.';
  if (['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID'].includes(reason))
    return 'The certificate is not valid at this time: replace it (TLS_CERT_FILE is read again), or correct the clock.';
  if (reason === 'EPROTO' || reason.startsWith('ERR_SSL_'))
    return 'Something answers there, but not by TLS as this command expects it: use http:// where the product has no certificate.';
  if (reason === 'UND_ERR_SOCKET' || reason === 'ECONNRESET')
    return 'The connection was cut: use https:// where the product has a certificate.';
  return 'Start the product (npm start), or set STAVE_URL or a profile to its address.';
}

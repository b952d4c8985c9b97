export { testCertificate, testKey } from '../tls.fixture.js';

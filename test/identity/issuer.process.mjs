// An OpenID Connect provider of the tests, in a process of its own. Its settings are in the environment; it sends its port when it listens.
import { once } from 'node:events';
import { createServer } from 'node:http';
import Provider from 'oidc-provider';

const { port, clients, ttlSeconds, accounts, webClient, cliClient } = JSON.parse(process.env.ISSUER);
const claimsOf = Object.fromEntries(clients.map(({ id, claims }) => [id, claims]));

/** Programs, the gateway that signs browsers in, and command lines. */
const allClients = [
  ...clients.map(({ id, secret }) => ({
    client_id: id,
    client_secret: secret,
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
  })),
  ...(webClient
    ? [
        {
          client_id: webClient.id,
          client_secret: webClient.secret,
          grant_types: ['authorization_code', 'refresh_token'],
          redirect_uris: webClient.redirectUris,
          response_types: ['code'],
        },
      ]
    : []),
  ...(cliClient
    ? [
        {
          client_id: cliClient.id,
          application_type: 'native',
          token_endpoint_auth_method: 'none',
          grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
          redirect_uris: [],
          response_types: [],
        },
      ]
    : []),
];

function providerWith(issuer, keys) {
  return new Provider(issuer, {
    jwks: { keys },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    clients: allClients,
    pkce: { required: () => true },
    features: {
      clientCredentials: { enabled: true },
      deviceFlow: { enabled: true },
      revocation: { enabled: true },
      // forms of the provider itself: whoever is named signs in
      devInteractions: { enabled: accounts !== undefined },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context, resource) => ({
          scope: '',
          audience: resource,
          accessTokenFormat: 'jwt',
          accessTokenTTL: ttlSeconds[resource] ?? 600,
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
    extraTokenClaims: (_context, { clientId, accountId }) => accounts?.[accountId] ?? claimsOf[clientId],
  });
}

let answer;
const server = createServer((request, response) => answer(request, response)).listen(port, '127.0.0.1');
await once(server, 'listening');
const issuer = `http://127.0.0.1:${server.address().port}`;
process.on('message', ({ keys }) => {
  answer = providerWith(issuer, keys).callback();
  process.send({ issuer });
});
process.on('disconnect', () => process.exit());
process.send({ issuer });

import { closed, exact, listOf, named, primitives as p, type JsonSchema } from '@stave/contracts/schemas';
import { route, type Answers, type Route } from './route.js';

const issuer = named(
  'SignInIssuer',
  exact(
    {
      issuer: p.anyString,
      audience: { ...p.anyString, description: 'what an access token must have in `aud`' },
    },
    {
      clientId: { ...p.anyString, description: 'the public client of command lines' },
      resource: { ...p.anyString, description: 'the `resource` to ask the issuer for (RFC 8707)' },
      web: { ...p.anyBoolean, description: 'true: browsers sign in at this issuer by `/v1/auth/login`' },
    },
  ),
);
const methods = named('SignInMethods', exact({ issuers: listOf(issuer), keystone: p.anyBoolean }));

interface OpenRoute {
  readonly summary: string;
  readonly description?: string;
  readonly answers: Answers;
  readonly query?: JsonSchema;
}

const open = (id: string, method: 'GET' | 'POST', path: string, declaration: OpenRoute): Route =>
  route(id, method, path, { access: 'public', plannable: false, ...declaration });

/** How users sign in. What is here requires no credential. */
export const signInRoutes = {
  methods: open('getAuth', 'GET', '/v1/auth', {
    summary: 'Get how users sign in: issuers of tokens, and whether tokens of Keystone are accepted',
    answers: { 200: methods },
  }),
  login: open('login', 'GET', '/v1/auth/login', {
    summary: 'Sign in with a browser: redirects to the issuer',
    description:
      'Without `issuer`, to the first one at which browsers sign in. Ends at `returnTo`, a path of this host.',
    query: closed({ returnTo: p.text(2048, 1), issuer: p.text(2048, 1) }),
    answers: { 303: null },
  }),
  callback: open('loginCallback', 'GET', '/v1/auth/callback', {
    summary: 'Complete a sign-in: issuers redirect browsers to this path',
    // issuers may add parameters, which are to be ignored (RFC 6749)
    query: { type: 'object', properties: { code: p.anyString, state: p.anyString, error: p.anyString } },
    answers: { 303: null },
  }),
  logout: open('logout', 'POST', '/v1/auth/logout', {
    summary: 'Sign out: takes the cookie back and ends the session at the issuer where it can',
    answers: { 204: null },
  }),
};

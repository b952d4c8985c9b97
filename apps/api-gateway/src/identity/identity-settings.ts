/** The roles of a project, the weakest first. */
export const projectRoles = ['reader', 'member', 'admin'] as const;
export type ProjectRole = (typeof projectRoles)[number];

/** A rule fits a token whose claim is `value`, or a list that has it. It gives a role in a project, or the rights of an operator. */
export interface RoleRule {
  readonly claim: string;
  readonly value: string | number | boolean;
  /** The name of the project, which may be created later; absent for operators. */
  readonly project?: string;
  readonly role: ProjectRole | 'operator';
}

/** An OpenID Connect provider whose access tokens are accepted. */
export interface IssuerSettings {
  /** The URL of the issuer, exactly as its tokens name it in `iss`. */
  readonly issuer: string;
  /** A token must name at least one of them in `aud`. */
  readonly audiences: readonly string[];
  readonly rules: readonly RoleRule[];
  /** The client with which the gateway signs browsers in; absent: it does not. */
  readonly web?: WebClient;
  /** The public client of command lines. */
  readonly cli?: { readonly clientId: string };
}

/** A confidential client of an issuer. */
export interface WebClient {
  readonly clientId: string;
  /** The path of a file with the client's secret. */
  readonly clientSecretFile: string;
}

/** A Keystone of OpenStack whose tokens are accepted. */
export interface KeystoneSettings {
  /** The URL of its identity API, such as `https://keystone.example:5000/v3`. */
  readonly url: string;
  /** The names of projects by the ids of the projects of Keystone that tokens are scoped to. */
  readonly projects: Readonly<Record<string, string>>;
}

/** The content of IDENTITY_FILE. */
export interface IdentitySettings {
  readonly issuers: readonly IssuerSettings[];
  readonly keystone?: KeystoneSettings;
}

interface SignInUrls {
  readonly identity: IdentitySettings;
  readonly publicUrl: string;
}

/** Returns the URLs by which those are reached whose tokens are believed, with the setting that has them. */
export function identityUrls({ identity, publicUrl }: SignInUrls): readonly { setting: string; url: string }[] {
  const { issuers, keystone } = identity;
  const urls = [...issuers.map(({ issuer }) => issuer), ...(keystone ? [keystone.url] : [])];
  return [...urls.map(url => ({ setting: 'IDENTITY_FILE', url })), { setting: 'PUBLIC_URL', url: publicUrl }];
}

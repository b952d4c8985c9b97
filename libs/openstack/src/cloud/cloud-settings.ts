/** How to log in to a cloud, and which of its endpoints to use. The password is a secret. */
export interface CloudSettings {
  readonly authUrl: string;
  readonly user: Identity;
  readonly password: string;
  readonly project: Identity;
  /** Absent: the endpoints of the only region. */
  readonly region?: string;
  readonly interface: 'public' | 'internal' | 'admin';
  /** The authorities (PEM) of the cloud's certificates; absent: those that Node.js trusts. */
  readonly authorities?: string;
}

/** A user or a project: by id, or by its name in a domain, which is given by id or by name. */
export interface Identity {
  readonly id?: string;
  readonly name?: string;
  readonly domain?: { readonly id?: string; readonly name?: string };
}

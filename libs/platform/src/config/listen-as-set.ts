/** The settings of an address to listen on, with their values. */
export interface ListenSettings {
  readonly host: string;
  readonly port: number;
  /** The names of the settings; default HOST and PORT. */
  readonly names?: { readonly host: string; readonly port: string };
}

/** A process cannot listen on the address of its settings. The message names them and needs no stack. */
export class CannotListenError extends Error {
  override readonly name = 'CannotListenError';
}

const REASON = /\b(EADDRINUSE|EACCES|EADDRNOTAVAIL|ENOTFOUND|EAI_AGAIN)\b/;

/** Calls `listen`. Throws CannotListenError when it fails because of the address. */
export async function listenAsSet<T>(settings: ListenSettings, listen: () => Promise<T>): Promise<T> {
  try {
    return await listen();
  } catch (cause) {
    const [code] = REASON.exec(String(cause)) ?? [];
    if (code === undefined) throw cause;
    throw new CannotListenError(textOf(code, settings), { cause });
  }
}

function textOf(code: string, { host, port, names = { host: 'HOST', port: 'PORT' } }: ListenSettings): string {
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} on ${host} is in use by another process: end that process, or choose another port with ${names.port}`;
    case 'EACCES':
      return `this user may not listen on port ${port} of ${host}: choose a port above 1023 with ${names.port}`;
    default:
      return `${host} is not an address of this machine (${code}): choose one with ${names.host}`;
  }
}

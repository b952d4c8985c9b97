/** What a browser does with requests, without its pages: it keeps cookies by host and path, follows redirects and sends forms. */
export class WebBrowser {
  private readonly jar = new Map<string, { readonly value: string; readonly origin: string; readonly path: string }>();

  constructor(readonly url: string) {}

  /** Returns the value of the session's cookie. */
  get session(): string | undefined {
    return this.jar.get(`${this.url} stave_session`)?.value;
  }

  /** Makes a browser that has this session only. */
  static withSession(url: string, session: string): WebBrowser {
    const browser = new WebBrowser(url);
    browser.jar.set(`${url} stave_session`, { value: session, origin: url, path: '/' });
    return browser;
  }

  /** Sends one request and keeps the cookies of the answer. Redirects are not followed. */
  async send(target: string, init: RequestInit = {}): Promise<Response> {
    const url = new URL(target, this.url);
    const headers = new Headers(init.headers);
    const cookies = [...this.jar].filter(
      ([, { origin, path }]) => origin === url.origin && url.pathname.startsWith(path),
    );
    if (cookies.length > 0)
      headers.set('cookie', cookies.map(([key, { value }]) => `${key.split(' ')[1]}=${value}`).join('; '));
    const answer = await fetch(url, { redirect: 'manual', ...init, headers });
    for (const given of answer.headers.getSetCookie()) this.keep(url, given);
    return answer;
  }

  /** Sends a request with a body of JSON, as a page of this origin does. */
  change(method: string, path: string, body?: object, origin: string | null = this.url): Promise<Response> {
    const headers = { ...(origin !== null && { origin }), ...(body && { 'content-type': 'application/json' }) };
    return this.send(path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  }

  async read<T>(path: string): Promise<T> {
    const answer = await this.send(path);
    if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as T;
  }

  /** Signs in at the forms of the issuer, and returns the answer to the last redirect of the gateway. */
  async signIn(account: string, returnTo = '/v1/whoami', end: 'consent' | 'abort' = 'consent'): Promise<Response> {
    let answer = await this.send(`/v1/auth/login?returnTo=${encodeURIComponent(returnTo)}`);
    for (let step = 0; step < 20; step += 1) {
      const location = answer.headers.get('location');
      const from = answer.url;
      if (location !== null) {
        const isDone = new URL(from).pathname === '/v1/auth/callback';
        if (isDone) return answer;
        answer = await this.send(new URL(location, from).href);
        continue;
      }
      if (new URL(from).origin === this.url) return answer;
      answer = await this.submit(from, await answer.text(), account, end);
    }
    throw new Error('the sign-in did not end');
  }

  /** Confirms the code of a device at the pages of the issuer, and returns the text of the last one. */
  async confirmDevice(url: string, account: string): Promise<string> {
    let answer = await this.send(url);
    for (let step = 0; step < 20; step += 1) {
      const location = answer.headers.get('location');
      if (location !== null) {
        answer = await this.send(new URL(location, answer.url).href);
        continue;
      }
      const page = await answer.text();
      if (!page.includes('<form')) return page;
      answer = await this.submit(answer.url, page, account, 'consent');
    }
    throw new Error('the issuer did not confirm the code');
  }

  private submit(from: string, page: string, account: string, end: 'consent' | 'abort'): Promise<Response> {
    const [, action = ''] = /<form[^>]* action="([^"]+)"/.exec(page) ?? [];
    const hidden = [...page.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)];
    const values = Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, value]));
    if (values['prompt'] === 'consent' && end === 'abort') {
      const [, abort = ''] = /href="([^"]+\/abort)"/.exec(page) ?? [];
      return this.send(new URL(abort, from).href);
    }
    const body = new URLSearchParams(values);
    if (values['prompt'] === 'login') {
      body.set('login', account);
      body.set('password', 'any');
    }
    return this.send(new URL(action, from).href, { method: 'POST', body });
  }

  private keep({ origin }: URL, given: string): void {
    const [pair = '', ...attributes] = given.split(/; */);
    const at = pair.indexOf('=');
    const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
    const path = attributes.map(text => /^path=(.*)$/i.exec(text)?.[1]).find(Boolean) ?? '/';
    const isEnded = attributes.some(text => /^max-age=0$/i.test(text) || /^expires=Thu, 01 Jan 1970/i.test(text));
    if (isEnded) this.jar.delete(`${origin} ${name}`);
    else this.jar.set(`${origin} ${name}`, { value, origin, path });
  }
}

import { GatewayStub } from '../testing/gateway-stub.js';

describe('the page at /docs', () => {
  let stub: GatewayStub;
  beforeAll(async () => (stub = await GatewayStub.start()));
  afterAll(() => stub.close());
  const text = async (path: string): Promise<string> => (await stub.call('GET', path, { key: null })).text();

  it('the page at /docs loads files of the gateway only', async () => {
    const page = await text('/docs');
    const files = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file = '']) => file);
    expect(files).toEqual(['/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js']);
    expect(page).not.toMatch(/https?:/);
    expect(page).toContain("url: '/openapi.json'");
    expect(await text('/docs/swagger-ui.css')).toContain('.swagger-ui');
    expect(await text('/docs/swagger-ui-bundle.js')).toContain('SwaggerUIBundle');
  });

  it('the page at /docs has a content security policy that allows its own script and no other host', async () => {
    const policy = (await stub.call('GET', '/docs', { key: null })).headers.get('content-security-policy');
    expect(policy).toMatch(/^default-src 'none'/);
    expect(policy).toMatch(/script-src 'self' 'sha256-[\w+/]+=*'/);
    expect(policy).not.toMatch(/https?:|\*|script-src[^;]*'unsafe-inline'/);
  });
});

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Controller } from '@nestjs/common';
import { getOrCreate } from '@stave/domain';
import { ok, type Answer } from '../http/answer.js';
import { Handles } from '../http/call.js';
import { serviceRoutes as routes } from '../routes/service.routes.js';
import { API_VERSION, apiDocument } from './api-document.js';
import { asyncApiDocument } from './async-api-document.js';

const JSON_TYPE = { 'Content-Type': 'application/json; charset=utf-8' };

/** Documents are bytes, which all answers share: of a text each answer would have a copy until its client has read it. */
const eventSchemas = readFileSync(require.resolve('@stave/contracts/event-schemas.json'));

const script = "SwaggerUIBundle({ url: '/openapi.json', dom_id: '#docs', deepLinking: true, validatorUrl: 'none' });";
const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Stave API</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<main id="docs"></main>
<script src="/docs/swagger-ui-bundle.js"></script>
<script>${script}</script>
</html>
`;
/** Swagger UI sets inline styles and has its icons as data URLs; nothing comes from another host. */
const policy = [
  "default-src 'none'",
  "connect-src 'self'",
  "img-src 'self' data:",
  `script-src 'self' 'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  "style-src 'self' 'unsafe-inline'",
].join('; ');

const swaggerFiles = new Map<string, Promise<Buffer>>();

async function swaggerUi(file: string, type: string): Promise<Answer> {
  const content = getOrCreate(swaggerFiles, file, () => readFile(require.resolve(`swagger-ui-dist/${file}`)));
  return ok(await content, { 'Content-Type': `${type}; charset=utf-8`, 'Cache-Control': 'public, max-age=3600' });
}

@Controller()
export class DocumentsController {
  private document: Buffer | undefined;
  private events: Buffer | undefined;

  @Handles(routes.openapi)
  openapi(): Answer {
    this.document ??= Buffer.from(JSON.stringify(apiDocument()));
    return ok(this.document, JSON_TYPE);
  }

  @Handles(routes.eventSchemas)
  eventSchemas(): Answer {
    return ok(eventSchemas, JSON_TYPE);
  }

  @Handles(routes.asyncapi)
  asyncapi(): Answer {
    this.events ??= Buffer.from(JSON.stringify(asyncApiDocument(JSON.parse(eventSchemas.toString()), API_VERSION)));
    return ok(this.events, JSON_TYPE);
  }

  @Handles(routes.docs)
  docs(): Answer {
    return ok(page, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy });
  }

  @Handles(routes.docsScript)
  script(): Promise<Answer> {
    return swaggerUi('swagger-ui-bundle.js', 'text/javascript');
  }

  @Handles(routes.docsStyle)
  style(): Promise<Answer> {
    return swaggerUi('swagger-ui.css', 'text/css');
  }
}

import { Injectable } from '@nestjs/common';
import { allRoutes } from '../routes/index.js';
import { openApiDocument } from './openapi-document.js';

const API_VERSION = '1.0.0';

/** The document as text, made when it is first asked for. */
@Injectable()
export class OpenApiText {
  private made: string | undefined;

  get text(): string {
    this.made ??= JSON.stringify(openApiDocument(allRoutes, API_VERSION));
    return this.made;
  }
}

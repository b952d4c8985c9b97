import type { BuildOptions } from './built-model.js';
import type { ExpiryOptions } from './expired-documents.js';

export interface ProjectorOptions extends BuildOptions, ExpiryOptions {
  readonly onError: (error: unknown) => void;
  /** The service that is measured; absent: none. */
  readonly service?: string;
  /** Called when stored documents are not of this log, and are built again. */
  readonly onForeign?: () => void;
}

export {
  apiKeyStream,
  projectStream,
  type ApiKeyCreated,
  type ApiKeyRevoked,
  type ApiKeyState,
  type ProjectCreated,
  type ProjectState,
  type Role,
} from './access.js';

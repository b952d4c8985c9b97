import { rotateAdministratorKey } from './access/administrator-key.js';

const [file = process.env['ADMIN_KEY_FILE'] ?? 'data/admin.key'] = process.argv.slice(2);

rotateAdministratorKey(file).then(
  () =>
    console.log(`${file} has a new key; restart cluster-service, or Stave in one process, to revoke the former one`),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  },
);

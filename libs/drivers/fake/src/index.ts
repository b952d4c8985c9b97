export { fakeDriver, fakeDriverModule } from './fake.driver.js';
export type { FakeCloud, JournalEntry } from './cloud/fake-cloud.port.js';
export { InProcessCloud } from './cloud/in-process-cloud.js';
export { journalPath, readJournal } from './cloud/journal-file.js';
export { HttpCloud } from './http/http-cloud.js';
export { serveFakeCloud, type FakeCloudServer } from './http/serve-fake-cloud.js';
export { makeFakeVersion } from './make-fake-version.js';
export { fakeDriverModule as default } from './fake.driver.js';

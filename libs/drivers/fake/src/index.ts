export { fakeDriver, fakeDriverModule } from './fake.driver.js';
export type { FakeCloud, JournalEntry } from './cloud/fake-cloud.port.js';
export { InProcessCloud } from './cloud/in-process-cloud.js';
export { journalPath, readJournal } from './cloud/journal-file.js';
export { fakeDriverModule as default } from './fake.driver.js';

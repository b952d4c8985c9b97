export { fakeDriverModule as default } from './fake.driver.js';
export type { JournalEntry } from './cloud/fake-cloud.port.js';
export { journalPath, readJournal } from './cloud/journal-file.js';
export { makeFakeVersion } from './make-fake-version.js';

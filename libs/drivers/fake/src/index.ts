export { fakeDriverModule as default, fakeDriver } from './fake.driver.js';
export type { CloudReply, CloudRequest, FakeCloud, JournalEntry } from './cloud/fake-cloud.port.js';
export { InProcessCloud } from './cloud/in-process-cloud.js';
export { journalPath, readJournal } from './cloud/journal-file.js';

import type { ResourceDocument } from '@stave/contracts';
import { DocumentDecorator } from './document-decorator.js';

const document: ResourceDocument = { id: '1', name: 'web', projectId: 'p', createdAt: '', updatedAt: '', revision: 1 };

it('a document decorator returns the same frozen object for the same document and key, also without a key', () => {
  const shown = new DocumentDecorator<number | undefined>((_document, at) => ({ at: at ?? 'unknown' }));
  const first = shown.of(document, undefined);
  expect(first).toEqual({ ...document, at: 'unknown' });
  expect(shown.of(document, undefined)).toBe(first);
  expect(shown.of(document, 5)).toMatchObject({ at: 5 });
  expect(Object.isFrozen(first)).toBe(true);
  expect(shown.of({ ...document }, 5)).not.toBe(shown.of(document, 5));
});

/** A connection that changes, such as when a cable is plugged in, is there again after this time, in milliseconds. */
const AGAIN_MS = 500;

/** The scripts of a page did not come, also when they were asked for again. The message says why, as far as it can be known. */
export class PageNotLoaded extends Error {}

const scriptOf = (page: Document): string | null | undefined =>
  page.querySelector('script[type=module][src]')?.getAttribute('src');

/** Asks the server for the console of now: another one has files with other names. */
async function reasonOf(error: unknown): Promise<string> {
  const url = import.meta.env.BASE_URL;
  const text = await fetch(url, { cache: 'no-store' })
    .then(answer => (answer.ok ? answer.text() : undefined))
    .catch(() => undefined);
  if (text === undefined)
    return 'The server could not be reached. What this page needs is read from it when the page is first opened.';
  if (scriptOf(new DOMParser().parseFromString(text, 'text/html')) !== scriptOf(document))
    return 'The product was upgraded since this console was opened, and the files of this page have other names now.';
  return `The server answers, but a file of this page did not arrive: ${error instanceof Error ? error.message : String(error)}`;
}

const lostStyles = new Set<HTMLLinkElement>();
const noteLost = ({ target }: Event): void => {
  if (target instanceof HTMLLinkElement && target.rel === 'stylesheet') lostStyles.add(target);
};
// such an event does not bubble
globalThis.addEventListener('error', noteLost, { capture: true });

function askAgain(link: HTMLLinkElement): Promise<unknown> {
  const next = link.cloneNode() as HTMLLinkElement;
  const asked = new Promise((resolve, reject) => {
    next.addEventListener('load', resolve);
    next.addEventListener('error', () => reject(new Error(`${link.href} could not be loaded`)));
  });
  link.replaceWith(next);
  return asked;
}

/** The import of a script asks for the styles of a page once only, whether they came or not. */
async function stylesAgain(): Promise<void> {
  const lost = [...lostStyles];
  lostStyles.clear();
  await Promise.all(lost.map(askAgain));
}

/** Loads scripts and their styles, a second time where the first one fails. */
export async function loadTwice<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch {
    await new Promise(resolve => setTimeout(resolve, AGAIN_MS));
  }
  try {
    await stylesAgain();
    return await load();
  } catch (error) {
    throw new PageNotLoaded(await reasonOf(error), { cause: error });
  }
}

import { loadTwice } from './parts/page-code.js';

/** Says why there is no console, and returns where more can be added. */
function say(title: string, text: string): HTMLElement | undefined {
  const root = document.getElementById('root');
  if (!root) return undefined;
  const [place, head, line] = [
    document.createElement('main'),
    document.createElement('h1'),
    document.createElement('p'),
  ];
  head.textContent = title;
  line.textContent = text;
  line.setAttribute('role', 'alert');
  place.append(head, line);
  root.replaceChildren(place);
  return place;
}

function offerToLoadAgain(error: unknown): void {
  const button = document.createElement('button');
  button.textContent = 'Load the console again';
  button.addEventListener('click', () => location.reload());
  say('The console could not be loaded', (error as Error).message)?.append(button);
}

/** The page needs a worker that all pages of the browser share: it holds the key and the one event stream. */
async function start(): Promise<void> {
  if (!('SharedWorker' in globalThis))
    return void say(
      'This browser cannot show the console',
      'It needs a browser with SharedWorker. The command line does the same: npx stave',
    );
  await loadTwice(() => import('./start.js')).catch(offerToLoadAgain);
}

void start();

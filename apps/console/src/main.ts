/** The page needs a worker that all pages of the browser share: it holds the key and the one event stream. */
async function start(): Promise<void> {
  if ('SharedWorker' in globalThis) return void (await import('./start.js'));
  const root = document.getElementById('root');
  if (root)
    root.textContent = 'The console needs a browser with SharedWorker. The command line does the same: npx stave';
}

void start();

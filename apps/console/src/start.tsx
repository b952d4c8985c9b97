import '@mantine/core/styles.css';
import './styles.css';
import { createTheme, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.js';
import { queryClient } from './api/live-queries.js';

const theme = createTheme({
  primaryColor: 'cyan',
  primaryShade: 9,
  fontFamily: 'Inter, system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, "Cascadia Mono", "Liberation Mono", monospace',
  defaultRadius: 'md',
  autoContrast: true,
  respectReducedMotion: true,
  // the header of a dialog is not that of the page
  components: { Modal: { defaultProps: { attributes: { header: { role: 'presentation' } } } } },
});

const nonce = document.querySelector<HTMLMetaElement>('meta[name="stave-nonce"]')?.content ?? '';
// the library that keeps the page behind a dialog from scrolling takes its nonce from this name
Object.assign(globalThis, { __webpack_nonce__: nonce });
const root = document.getElementById('root');
if (!root) throw new Error('the page has no root');
createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce}>
      <QueryClientProvider client={queryClient}>
        <App />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);

/** Returns what people open in a browser, in lines for a terminal. The help is served as soon as it is built. */
export const pageAddresses = (url: string): string =>
  [`  Console  ${url}/console`, `  Help     ${url}/help`, `  API      ${url}/docs`].join('\n');

/** Outlines on a grid of 16, by the key that leads to the page. */
const outlines: Readonly<Record<string, string>> = {
  o: 'M2 2.5h5v5H2zM9 2.5h5v3H9zM9 7.5h5v6H9zM2 9.5h5v4H2z',
  c: 'M8 1.8 13.4 5v6L8 14.2 2.6 11V5zM8 8v6.2M8 8 2.6 5M8 8l5.4-3',
  s: 'M8 2 14 5 8 8 2 5zM2.5 8 8 10.8 13.5 8M2.5 11 8 13.8 13.5 11',
  t: 'M2.5 4h11v8h-11zM5.5 6.5v3M8 6.5v3M10.5 6.5v3',
  p: 'M1.5 8.5h3l2-5.5 3 10 2-4.5h3',
  h: 'M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zM8 4.8V8l2.2 1.6',
  l: 'M2.5 4.5h6M11.5 4.5h2M2.5 11.5h2M7.5 11.5h6M10 3v3M6 10v3',
  m: 'M3.5 1.8h6l3 3v9.4h-9zM9.5 1.8v3h3M6 8.2h4M6 10.8h4',
  i: 'M2.5 2.5h11v4.6h-11zM2.5 8.9h11v4.6h-11zM5 4.8h.1M5 11.2h.1',
  f: 'M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zM2 8h12M8 2c3.4 3.6 3.4 8.4 0 12M8 2c-3.4 3.6-3.4 8.4 0 12',
  a: 'M5.2 5.2a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6zM8 8h6v2.6M11.4 8v1.8',
};

export const NavIcon = ({ of }: { readonly of: string }) => (
  <svg className="nav-icon" viewBox="0 0 16 16" aria-hidden="true">
    <path d={outlines[of]} />
  </svg>
);

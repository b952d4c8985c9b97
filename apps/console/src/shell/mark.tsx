/** Three staves with their notes. */
export const Mark = ({ size = 26 }: { readonly size?: number }) => (
  <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="8" fill="#0b7285" />
    <path d="M7 10h18M7 16h18M7 22h18" stroke="#fff" strokeWidth="2.4" strokeLinecap="round" />
    <g fill="#fff">
      <circle cx="12" cy="10" r="2.6" />
      <circle cx="20" cy="16" r="2.6" />
      <circle cx="10" cy="22" r="2.6" />
    </g>
  </svg>
);

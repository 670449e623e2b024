/** Two jacks joined by a cable: the sign of the product. */
export function ProductMark({ size = 24 }: { size?: number }) {
  return (
    <svg viewBox="0 0 32 32" width={size} height={size} fill="none" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="var(--accent-fill)" />
      <path d="M10 10.5c0 9 12 2 12 11" stroke="var(--on-accent)" strokeWidth="2.5" strokeLinecap="round" />
      <circle cx="10" cy="10" r="3.6" fill="var(--on-accent)" />
      <circle cx="10" cy="10" r="1.3" fill="var(--accent-fill)" />
      <circle cx="22" cy="22" r="3.6" fill="var(--on-accent)" />
      <circle cx="22" cy="22" r="1.3" fill="var(--accent-fill)" />
    </svg>
  )
}

const WIDTHS = ['w-80', 'w-60', 'w-70', 'w-50', 'w-75', 'w-65']

/** Grey bars in place of what is loading. They appear after 150 ms, so that quick answers do not flicker. */
export function Skeleton({ rows }: { rows: number }) {
  return (
    <div className="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the bars never change their order
        <span key={row} className={WIDTHS[row % WIDTHS.length]} />
      ))}
    </div>
  )
}

type Pages = { readonly loadMore: (() => void) | undefined; readonly isLoadingMore: boolean }

/** Loads the next page of a list. Nothing is shown after the last one. */
export function More({ of: { loadMore, isLoadingMore } }: { of: Pages }) {
  if (!loadMore) return null
  return (
    <p>
      <button type="button" className="button" aria-busy={isLoadingMore} onClick={loadMore}>
        {isLoadingMore ? 'Loading…' : 'Show more'}
      </button>
    </p>
  )
}

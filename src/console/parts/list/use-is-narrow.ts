import { useSyncExternalStore } from 'react'

/** The width below which the style sheet shows the drawer and stacked rows. */
const NARROW = '(max-width: 800px)'

/** Returns whether the screen is as narrow as that of a phone. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(
    (onChange) => {
      const query = matchMedia(NARROW)
      query.addEventListener('change', onChange)
      return () => query.removeEventListener('change', onChange)
    },
    () => matchMedia(NARROW).matches,
  )
}

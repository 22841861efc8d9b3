import { useCallback, useRef } from 'react'

/**
 * Returns a function that starts work, unless the work that it started before is still under way. A state of React
 * cannot guard this: two clicks can come before the page is drawn again.
 */
export function useOnce(): (work: () => Promise<unknown>) => void {
  const isUnderWay = useRef(false)
  return useCallback((work) => {
    if (isUnderWay.current) return
    isUnderWay.current = true
    void work().finally(() => {
      isUnderWay.current = false
    })
  }, [])
}

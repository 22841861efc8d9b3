import { useEffect, useState } from 'react'

const SETTLE_MS = 400

/** Returns the text once it has not changed for a moment, so that a read is not sent for every choice on the way. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}

import { useEffect, useState } from 'react'

/** Returns the text once it has not changed for a moment, so that a read is not sent for every letter on the way. */
export function useSettled(text: string, afterMs: number): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), afterMs)
    return () => clearTimeout(timer)
  }, [text, afterMs])
  return settled
}

import { useEffect, useState } from 'react'

const PAUSE_MS = 120

/** Returns the text as soon as it has not changed for a moment, so that not every letter is a request. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}

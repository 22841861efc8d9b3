import { useEffect, useRef } from 'react'
import { isField, readKey } from './read-key.ts'

/** The second key of `g a` comes within this time. */
const MAX_PAUSE_MS = 1_500

type Acts = {
  readonly onSearch: () => void
  readonly onList: () => void
  readonly onGo: (key: string) => void
}

/** Listens to the shortcuts of every page. An open dialog has the keys for itself. */
export function useShortcuts(acts: Acts): void {
  const latest = useRef(acts)
  useEffect(() => {
    latest.current = acts
  })
  useEffect(() => {
    let waitsUntil = 0
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || document.querySelector('dialog[open]')) return
      const isAfterG = event.timeStamp < waitsUntil
      const shortcut = readKey(event, { isTyping: isField(document.activeElement), isAfterG })
      waitsUntil = shortcut?.does === 'wait' ? event.timeStamp + MAX_PAUSE_MS : 0
      if (!shortcut) return
      event.preventDefault()
      if (shortcut.does === 'search') latest.current.onSearch()
      if (shortcut.does === 'list') latest.current.onList()
      if (shortcut.does === 'go') latest.current.onGo(shortcut.key)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}

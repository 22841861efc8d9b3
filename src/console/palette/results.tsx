import { useRouter } from '@tanstack/react-router'
import { type RefObject, useEffect, useState } from 'react'
import { search } from '#contract/search.ts'
import { explain } from '../call/explain.ts'
import { useCall } from '../call/use-call.ts'
import { useSettled } from '../call/use-settled.ts'
import { useConnection } from '../session/connection.ts'
import { identityOf, useSession } from '../session/session.ts'
import { offersFor } from './actions.ts'
import { toItem } from './address-of.ts'
import { chooseItems } from './choose.ts'
import type { MoveKey, PaletteItem } from './palette-item.ts'
import { addRecent, readRecent } from './recent.ts'

/** Shorter than most people type the next letter. */
const PAUSE_MS = 120

type Props = {
  id: string
  text: string
  pages: readonly PaletteItem[]
  /** Enter was pressed. The line is opened as soon as the answer is there. */
  isSubmitted: boolean
  move: RefObject<MoveKey | undefined>
  onActive: (id: string | undefined) => void
  onChosen: () => void
  onClose: () => void
}

/** The lines below the field: what fits the text, or what was opened before. */
export function Results({ id, text, pages, isSubmitted, move, onActive, onChosen, onClose }: Props) {
  const { items, isSearching, error, note } = useItems(text.trim(), pages)
  const open = useOpen(onClose)
  const [place, setPlace] = useState({ text, at: 0, isMoved: false })
  const isMoved = place.text === text && place.isMoved
  const at = place.text === text ? Math.min(place.at, Math.max(items.length - 1, 0)) : 0
  const active = items[at]
  const optionId = (n: number) => `${id}-${n}`
  useEffect(() => {
    move.current = (key) => {
      const next = nextPlace(key, at, items.length)
      if (next === undefined) return false
      setPlace({ text, at: next, isMoved: true })
      return true
    }
  })
  const activeId = active && optionId(at)
  useEffect(() => {
    onActive(activeId)
    if (activeId !== undefined) document.getElementById(activeId)?.scrollIntoView({ block: 'nearest' })
  }, [activeId, onActive])
  useEffect(() => {
    if (!isSubmitted || (isSearching && !isMoved)) return
    onChosen()
    if (active) open(active)
  }, [isSubmitted, isSearching, isMoved, active, open, onChosen])
  return (
    <>
      <div id={id} role="listbox" tabIndex={-1} aria-label={text.trim() === '' ? 'Recent and pages' : 'Results'}>
        {items.map((item, n) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field, which has the focus
          <div
            key={`${item.kind} ${item.to} ${item.title}`}
            id={optionId(n)}
            role="option"
            tabIndex={-1}
            aria-selected={n === at}
            onClick={() => open(item)}
          >
            <span className="palette-title">{item.title}</span>
            {item.subtitle !== item.title && item.subtitle !== '' && <span className="soft"> {item.subtitle}</span>}
            <span className="palette-kind"> {item.kind}</span>
          </div>
        ))}
      </div>
      {error ? (
        <p className="palette-note" role="alert">
          {explain(error)}
        </p>
      ) : (
        <p className="palette-note soft" role="status">
          {isSearching ? 'Searching…' : describe(items.length, text)}
          {note}
        </p>
      )}
    </>
  )
}

function describe(count: number, text: string): string {
  if (count === 0) return `Nothing that you may see has “${text.trim()}” in its name.`
  return count === 1 ? '1 result' : `${count} results`
}

function nextPlace(key: string, at: number, count: number): number | undefined {
  if (count === 0) return undefined
  if (key === 'ArrowDown') return (at + 1) % count
  if (key === 'ArrowUp') return (at + count - 1) % count
  if (key === 'PageDown') return count - 1
  return key === 'PageUp' ? 0 : undefined
}

const UNAVAILABLE = ' People cannot be searched now, because the auth service does not answer.'

function useItems(text: string, pages: readonly PaletteItem[]) {
  const { me } = useSession()
  const settled = useSettled(text, PAUSE_MS)
  const found = useCall(search, { q: settled }, { enabled: settled !== '', keep: true })
  const own = [...pages, ...offersFor(me.role, me.read_only)]
  if (text === '') {
    const recent = readRecent(identityOf(me))
    const others = pages.filter(({ to }) => !recent.some((item) => item.to === to))
    return { items: [...recent, ...others], isSearching: false, error: null, note: '' }
  }
  const isSearching = text !== settled || found.isPlaceholderData || found.isLoading
  return {
    items: chooseItems(text, (found.data?.items ?? []).map(toItem), own),
    isSearching,
    error: isSearching ? null : found.error,
    note: found.data?.unavailable.includes('person') ? UNAVAILABLE : '',
  }
}

/** Returns the function that opens a line: closes the palette first, so that the page gets the focus. */
function useOpen(onClose: () => void): (item: PaletteItem) => void {
  const { me } = useSession()
  const router = useRouter()
  const { mayOpen } = useConnection()
  return (item) => {
    addRecent(identityOf(me), item)
    onClose()
    if (item.isOutside) void mayOpen().then((isReached) => isReached && location.assign(item.to))
    else router.history.push(item.to, item.act === undefined ? {} : { act: item.act })
  }
}

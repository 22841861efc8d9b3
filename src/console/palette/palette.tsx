import { CatchBoundary } from '@tanstack/react-router'
import { Suspense, useLayoutEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { lazyComponent } from '../parts/page/lazy-component.ts'
import type { MoveKey, PaletteItem } from './palette-item.ts'

const Results = lazyComponent(() => import('./results.tsx'), 'Results')

const LIST = 'palette-results'

/**
 * The field that Ctrl-K opens, a combobox. It is on every page, so that no letter is lost while the results load; Enter
 * waits for them.
 */
export function Palette({ pages, onClose }: { pages: readonly PaletteItem[]; onClose: () => void }) {
  const element = useRef<HTMLDialogElement>(null)
  const move = useRef<MoveKey>(undefined)
  const [text, setText] = useState('')
  const [activeId, setActiveId] = useState<string>()
  const [isSubmitted, setSubmitted] = useState(false)
  useLayoutEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    return () => dialog?.close()
  }, [])
  return createPortal(
    <dialog
      ref={element}
      className="palette"
      aria-label="Search"
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => event.target === element.current && onClose()}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing) return
        if (event.key === 'Enter') setSubmitted(true)
        else if (!move.current?.(event.key)) return
        event.preventDefault()
      }}
    >
      <div className="palette-field">
        <input
          type="text"
          role="combobox"
          aria-label="Search pages, things and actions"
          aria-expanded="true"
          aria-controls={LIST}
          aria-autocomplete="list"
          aria-activedescendant={activeId}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          maxLength={100}
          placeholder="Search apps, sources, people, tickets, pages…"
          value={text}
          onChange={({ currentTarget: { value } }) => {
            setText(value)
            setSubmitted(false)
            // Where it failed before, it is tried again.
            Results.preload().catch(() => {})
          }}
        />
        <button type="button" className="button quiet small" onClick={onClose}>
          Close
        </button>
      </div>
      <CatchBoundary getResetKey={() => text} errorComponent={NotLoaded}>
        <Suspense fallback={<div id={LIST} role="listbox" tabIndex={-1} aria-label="Results" />}>
          <Results
            id={LIST}
            {...{ text, pages, isSubmitted, move, onClose }}
            onActive={setActiveId}
            onChosen={() => setSubmitted(false)}
          />
        </Suspense>
      </CatchBoundary>
    </dialog>,
    document.body,
  )
}

function NotLoaded() {
  return (
    <p id={LIST} className="fault" role="alert">
      The search could not be loaded. It is tried again with the next letter.
    </p>
  )
}

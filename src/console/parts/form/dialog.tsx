import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import { createPortal } from 'react-dom'
import { CloseContext, useClose } from './close-context.ts'

type Props = {
  title: string
  children: ReactNode
  /** Closes a dialog that no `Opener` opened. */
  onClose?: (() => void) | undefined
}

/** A modal dialog. The browser keeps the focus inside, closes it with Escape and gives the focus back. */
export function Dialog({ title, children, onClose }: Props) {
  const element = useRef<HTMLDialogElement>(null)
  const heading = useId()
  const closeOpener = useClose()
  const close = onClose ?? closeOpener
  // A layout effect ends while the element is still in the page: a browser gives the focus back only from there.
  useLayoutEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    // The browser would choose the button that closes, because it is first.
    dialog?.querySelector<HTMLElement>('input, select, textarea')?.focus()
    return () => dialog?.close()
  }, [])
  // In the body, so that it looks the same wherever it was opened: text of a cell, for example, does not wrap.
  return createPortal(
    <dialog
      ref={element}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault()
        close?.()
      }}
    >
      <header>
        <h2 id={heading}>{title}</h2>
        {close && (
          <button type="button" className="button quiet" aria-label="Close" onClick={close}>
            ✕
          </button>
        )}
      </header>
      <CloseContext value={close}>{children}</CloseContext>
    </dialog>,
    document.body,
  )
}

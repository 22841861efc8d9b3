import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'

type Props = {
  title: string
  children: ReactNode
  /** Without it the dialog cannot be closed by the person. */
  onClose?: () => void
}

/**
 * A modal dialog, for outside of forms: React would hand the submit of its form to a form around it. The browser keeps
 * the focus inside, closes it with Escape and gives the focus back.
 */
export function Dialog({ title, children, onClose }: Props) {
  const element = useRef<HTMLDialogElement>(null)
  const heading = useId()
  // A layout effect ends while the element is still in the page: a browser gives the focus back only from there.
  useLayoutEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    return () => dialog?.close()
  }, [])
  return (
    <dialog
      ref={element}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault()
        onClose?.()
      }}
    >
      <header>
        <h2 id={heading}>{title}</h2>
        {onClose && (
          <button type="button" className="button quiet" aria-label="Close" onClick={onClose}>
            ✕
          </button>
        )}
      </header>
      {children}
    </dialog>
  )
}

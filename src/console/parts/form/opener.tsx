import { useRouter, useRouterState } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { CloseContext } from './close-context.ts'

type Props = {
  label: string
  /** Its subject, for screen readers: it stands in a row of buttons with the same label. */
  of?: string
  /** Such as `main` or `small`. */
  look?: string
  /** False hides the button. A dialog that is open stays, because somebody reads it. */
  isOffered?: boolean
  dialog: ReactNode
}

export function Opener({ label, of = '', look = '', isOffered = true, dialog }: Props) {
  const [isOpen, setOpen] = useState(false)
  const isPressed = useIsPressed(label) && of === '' && isOffered
  const { history } = useRouter()
  useEffect(() => {
    if (!isPressed) return
    setOpen(true)
    // Otherwise it would open again when the page is loaded again.
    history.replace(history.location.href, {})
  }, [isPressed, history])
  return (
    <>
      {isOffered && (
        <button type="button" className={`button ${look}`.trim()} onClick={() => setOpen(true)}>
          {label}
          {of !== '' && <span className="visually-hidden"> {of}</span>}
        </button>
      )}
      {isOpen && <CloseContext value={() => setOpen(false)}>{dialog}</CloseContext>}
    </>
  )
}

/** Whether the palette was asked for the act of this button. */
function useIsPressed(label: string): boolean {
  return useRouterState({ select: ({ location }) => location.state.act === label })
}

import { type ReactNode, useState } from 'react'
import { Dialog } from './dialog.tsx'
import { Fault } from './fault.tsx'
import { Field } from './field.tsx'

type Props = {
  /** A verb with its object, as on the button that opened it: `Delete app`. */
  title: string
  /** What happens next. */
  children: ReactNode
  /** The name that the person must type before something is destroyed. */
  typed?: string
  isRunning: boolean
  error: unknown
  onConfirm: () => void
  onClose: () => void
}

/** Asks before an act. Acts that destroy something name it and ask for its name. */
export function Confirm({ title, children, typed, isRunning, error, onConfirm, onClose }: Props) {
  const [name, setName] = useState('')
  const isReady = typed === undefined || name === typed
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (isReady && !isRunning) onConfirm()
        }}
      >
        {children}
        {typed !== undefined && (
          <Field label={`Type ${typed} to confirm`} value={name} onChange={setName} autoComplete="off" />
        )}
        <Fault of={error} />
        <footer className="row">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button
            type="submit"
            className={typed === undefined ? 'button main' : 'button danger'}
            disabled={!isReady}
            aria-busy={isRunning}
          >
            {title}
          </button>
        </footer>
      </form>
    </Dialog>
  )
}

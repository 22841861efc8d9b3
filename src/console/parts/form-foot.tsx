type Props = { act: string; isRunning: boolean; onClose: () => void; isDisabled?: boolean }

/** The buttons at the end of a form in a dialog. */
export function FormFoot({ act, isRunning, onClose, isDisabled = false }: Props) {
  return (
    <footer className="row">
      <button type="button" className="button" onClick={onClose}>
        Cancel
      </button>
      <button type="submit" className="button main" disabled={isDisabled} aria-busy={isRunning}>
        {act}
      </button>
    </footer>
  )
}

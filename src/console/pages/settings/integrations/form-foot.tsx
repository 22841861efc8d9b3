/** The buttons at the end of a form in a dialog. */
export function FormFoot({ act, isRunning, onClose }: { act: string; isRunning: boolean; onClose: () => void }) {
  return (
    <footer className="row">
      <button type="button" className="button" onClick={onClose}>
        Cancel
      </button>
      <button type="submit" className="button main" aria-busy={isRunning}>
        {act}
      </button>
    </footer>
  )
}

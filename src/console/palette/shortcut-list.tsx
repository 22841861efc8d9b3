import { Dialog } from '../parts/form/dialog.tsx'

type Page = { readonly label: string; readonly key: string }

/** Lists the shortcuts. Those of pages that the role does not open are left out. */
export function ShortcutList({ pages, onClose }: { pages: readonly Page[]; onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl className="shortcuts">
        <Row keys={['Ctrl K', '⌘ K', '/']} label="Search pages, things and actions" />
        <Row keys={['?']} label="Show this list" />
        <Row keys={['Esc']} label="Close a dialog" />
        {pages.map(({ label, key }) => (
          <Row key={key} keys={[`g ${key}`]} label={`Go to ${label}`} />
        ))}
      </dl>
    </Dialog>
  )
}

function Row({ keys, label }: { keys: readonly string[]; label: string }) {
  return (
    <>
      <dt>
        {keys.map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dt>
      <dd>{label}</dd>
    </>
  )
}

/**
 * Replaces `old_text`, which occurs exactly once in the file as the edits before leave it, by `new_text`. An empty
 * `old_text` adds a file that is not there.
 */
export type Edit = { readonly path: string; readonly old_text: string; readonly new_text: string }

type EditFault = {
  /** Which of the edits does not apply. */
  readonly index: number
  readonly fault: 'no_such_file' | 'not_found' | 'ambiguous' | 'no_change'
}

/** Applies edits in order. Returns the new text of each file that they name, or the first edit that does not apply. */
export function applyEdits(
  texts: ReadonlyMap<string, string>,
  edits: readonly Edit[],
): { readonly texts: ReadonlyMap<string, string> } | EditFault {
  const changed = new Map<string, string>()
  for (const [index, { path, old_text, new_text }] of edits.entries()) {
    const text = changed.get(path) ?? texts.get(path)
    if (text === undefined && old_text === '' && new_text !== '') {
      changed.set(path, new_text)
      continue
    }
    if (text === undefined) return { index, fault: 'no_such_file' }
    const at = old_text === '' ? -1 : text.indexOf(old_text)
    if (at === -1) return { index, fault: 'not_found' }
    if (text.includes(old_text, at + 1)) return { index, fault: 'ambiguous' }
    if (old_text === new_text) return { index, fault: 'no_change' }
    changed.set(path, `${text.slice(0, at)}${new_text}${text.slice(at + old_text.length)}`)
  }
  const isSame = edits.length === 0 || [...changed].every(([path, text]) => text === texts.get(path))
  return isSame ? { index: Math.max(0, edits.length - 1), fault: 'no_change' } : { texts: changed }
}

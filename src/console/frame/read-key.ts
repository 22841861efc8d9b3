/** The fields of a `KeyboardEvent` that decide. */
type KeyPress = {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  readonly shiftKey: boolean
  readonly repeat: boolean
  readonly isComposing: boolean
}

type Situation = {
  /** The focus is in a field, where letters are text. */
  readonly isTyping: boolean
  /** The key before was `g`, a moment ago. */
  readonly isAfterG: boolean
}

type Shortcut =
  | { readonly does: 'search' | 'list' | 'wait' }
  /** Goes to the page with this key, if the role has one. */
  | { readonly does: 'go'; readonly key: string }

/** Returns the shortcut of a key, or undefined. Ctrl-K also works in a field, because it types nothing. */
export function readKey(press: KeyPress, { isTyping, isAfterG }: Situation): Shortcut | undefined {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = press
  if (press.repeat || press.isComposing || altKey) return undefined
  if (ctrlKey !== metaKey && !shiftKey && key.toLowerCase() === 'k') return { does: 'search' }
  if (ctrlKey || metaKey || isTyping) return undefined
  if (isAfterG && /^[a-z]$/.test(key)) return { does: 'go', key }
  if (key === '/') return { does: 'search' }
  if (key === '?') return { does: 'list' }
  return key === 'g' ? { does: 'wait' } : undefined
}

const WITHOUT_TEXT = ['button', 'checkbox', 'radio', 'submit', 'reset', 'range', 'color', 'file']

/** Whether letters are text for the element that has the focus. */
export function isField(element: Element | null): boolean {
  if (element instanceof HTMLInputElement) return !WITHOUT_TEXT.includes(element.type)
  if (element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement) return true
  return element instanceof HTMLElement && element.isContentEditable
}

const MARKUP = Symbol('markup')

/** Escaped markup. Only `html` and `unescaped` create it. */
export type Html = { readonly [MARKUP]: string }
type Part = Html | string | number | false | null | undefined | readonly Part[]

/** Escapes every inserted value that is not `Html` itself. Attribute values must be in double quotes. */
export function html(texts: TemplateStringsArray, ...parts: Part[]): Html {
  return { [MARKUP]: texts.map((text, index) => text + toMarkup(parts[index])).join('') }
}

/** Marks our own text, such as a style sheet, as markup without escaping it. */
export function unescaped(text: string): Html {
  return { [MARKUP]: text }
}

export function render(markup: Html): string {
  return markup[MARKUP]
}

function toMarkup(part: Part): string {
  if (part === undefined || part === null || part === false) return ''
  if (typeof part === 'string' || typeof part === 'number') return escapeHtml(String(part))
  return MARKUP in part ? part[MARKUP] : part.map(toMarkup).join('')
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ENTITIES[char]!)
}

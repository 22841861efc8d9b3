import { posix } from 'node:path'

type LinkTarget =
  | { readonly kind: 'outside'; readonly href: string }
  /** A file of the repository, with the id of a heading in it, or an empty id. */
  | { readonly kind: 'file'; readonly path: string; readonly id: string }

/** Resolves a link of the Markdown file at `from`. Paths are those of the repository. */
export function resolveLink(href: string, from: string): LinkTarget {
  if (/^[a-z][a-z+.-]*:/i.test(href)) return { kind: 'outside', href }
  const [path = '', id = ''] = href.split('#')
  return { kind: 'file', path: path === '' ? from : posix.join(posix.dirname(from), path), id }
}

/** Characters at the beginning of a dump in which the comment on an extension is found. Only schemas come before it. */
const HEAD_CHARS = 16 * 1024

/** Every managed database has the extension already, and only a superuser may comment on it. */
const TEMPLATE_COMMENT =
  /--\n-- Name: EXTENSION vector; Type: COMMENT; Schema: -; Owner: -?\n--\n\nCOMMENT ON EXTENSION vector IS '[^'\n]*';\n+/

/** Decodes UTF-8. Throws for other bytes, because a replacement character would change a value. */
export async function* textOf(output: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  for await (const bytes of output) yield decoder.decode(bytes, { stream: true })
  yield decoder.decode()
}

/** Removes the statement of a dump that would fail when the owner of a managed database runs it. */
export async function* withoutTemplateComment(dump: AsyncIterable<string>): AsyncGenerator<string> {
  let head: string | undefined = ''
  for await (const part of dump) {
    if (head === undefined) {
      if (part !== '') yield part
      continue
    }
    head += part
    if (head.length < HEAD_CHARS) continue
    yield head.replace(TEMPLATE_COMMENT, '')
    head = undefined
  }
  if (head !== undefined) yield head.replace(TEMPLATE_COMMENT, '')
}

export function toLf(text: string): string {
  return text.replaceAll('\r\n', '\n')
}

/** Returns `text`, which uses LF, with the line endings that most lines of `model` have. */
export function inEndingsOf(model: string, text: string): string {
  const crlf = model.split('\r\n').length - 1
  const all = model.split('\n').length - 1
  return crlf > all - crlf ? text.replaceAll('\n', '\r\n') : text
}

/** Texts of bodies that are all there, beside the streams that carry them. */
const texts = new WeakMap<Request | Response, string>()

/** Spares a neighbour in the same process reading a stream, which costs more than all else of such a call. */
export function withText<T extends Request | Response>(message: T, text: string): T {
  texts.set(message, text)
  return message
}

export function wholeText(message: Request | Response): string | undefined {
  return texts.get(message)
}

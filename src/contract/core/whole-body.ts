/** The text of each message whose body is complete, beside the stream that carries it. */
const textByMessage = new WeakMap<Request | Response, string>()

/**
 * Remembers the text of a message's body. A neighbour in the same process then need not read the stream, which costs
 * more than the rest of such a call.
 */
export function withText<T extends Request | Response>(message: T, text: string): T {
  textByMessage.set(message, text)
  return message
}

/** Returns undefined if the message came over the network or its body is a stream. */
export function wholeText(message: Request | Response): string | undefined {
  return textByMessage.get(message)
}

/**
 * Keeps one form or button from sending the same change twice. A state of React cannot guard this: two clicks can come
 * before the page is drawn again.
 */
export function createSendGuard() {
  let sent: { readonly input: string; isAnswered: boolean } | undefined
  return {
    /**
     * Whether the input may be sent now. Nothing may while a request has no answer. Between the answer and the end, while
     * lists are read again and the form still stands there, another input may: a second reply, but not the first again.
     */
    begin: (input: unknown): boolean => {
      const text = JSON.stringify(input)
      if (sent && (!sent.isAnswered || sent.input === text)) return false
      sent = { input: text, isAnswered: false }
      return true
    },
    answer: () => {
      if (sent) sent.isAnswered = true
    },
    /** Ends what was begun with this input. */
    end: (input: unknown) => {
      if (sent?.input === JSON.stringify(input)) sent = undefined
    },
  }
}

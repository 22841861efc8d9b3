export function withText<T>(message: T, _text: string): T {
  return message
}

export function wholeText(_message: Request | Response): string | undefined {
  return undefined
}

/** Writes a number of seconds for a message: `1 second`, `12 seconds`. */
export function secondsText(seconds: number): string {
  return `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`
}

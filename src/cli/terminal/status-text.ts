/** Returns a status in words, with the reason where there is one. */
export function statusText({ status, reason }: { status: string; reason: string | null }): string {
  const words = status.replace('_', ' ')
  return reason === null ? words : `${words}: ${reason}`
}

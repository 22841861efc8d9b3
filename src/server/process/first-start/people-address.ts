import { isOtherLoopbackName } from '#lib/net/address/loopback.ts'

type PeopleAddress = {
  /** The address that the start prints. */
  readonly url: string
  /** Lines about another address that people have to use. */
  readonly notes: readonly string[]
}

/**
 * Returns the address for people. Sign-in works only at `publicUrl` (SVC_REDIRECT_BASE_URL), so that one is printed where
 * it is another name of the listener, and named beside the listener where it is a different place, such as a proxy.
 */
export function peopleAddress(listenUrl: string, publicUrl: string | undefined): PeopleAddress {
  if (publicUrl === undefined || publicUrl === listenUrl) return { url: listenUrl, notes: [] }
  if (isOtherLoopbackName(listenUrl, publicUrl)) return { url: publicUrl, notes: [] }
  return { url: listenUrl, notes: [`people sign in at ${publicUrl} (SVC_REDIRECT_BASE_URL), not at this address`] }
}

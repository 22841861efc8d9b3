/** Domains that RFC 2606 reserves for examples. The first account of an installation is `owner@example.com`. */
const RESERVED = /(?:@|\.)(?:example\.(?:com|net|org)|example|invalid)$/

/** Whether nobody can have a mailbox at this address. A mail to it comes back to the sender with its sign-in link. */
export function hasNoMailbox(email: string): boolean {
  return RESERVED.test(email)
}

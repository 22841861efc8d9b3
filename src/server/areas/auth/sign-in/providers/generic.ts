/** Claims about a person, from an ID token or the UserInfo endpoint. */
export type Profile = Readonly<Record<string, unknown>>

/** The claim with the email address if the operator names no other. It counts only with `email_verified`. */
const STANDARD_EMAIL_CLAIM = 'email'

/**
 * Returns the email claim if the provider vouches for it, else undefined. The standard claim needs `email_verified` to be
 * the boolean true. Any other claim was named by the operator as one that holds only verified addresses, so it stands
 * alone. Some providers send such a claim as an array: it counts if the array has exactly one item.
 */
export function verifiedEmailClaim(profile: Profile, emailClaim: string): unknown {
  if (emailClaim === STANDARD_EMAIL_CLAIM) return profile.email_verified === true ? profile.email : undefined
  const value = profile[emailClaim]
  return Array.isArray(value) ? (value.length === 1 ? value[0] : undefined) : value
}

/**
 * Whether an ID token lacks what `verifiedEmailClaim` reads. Providers may leave such claims to the UserInfo endpoint
 * (OpenID Connect Core, section 5.4). A claim that is there and false is not missing.
 */
export function lacksEmail(idToken: Profile, emailClaim: string): boolean {
  return (
    idToken[emailClaim] === undefined || (emailClaim === STANDARD_EMAIL_CLAIM && idToken.email_verified === undefined)
  )
}

import type { AppPart, Role } from '#contract/core/roles.ts'

/** An answer about people. One that is not known never means "nobody": what depends on it is recorded as not sent. */
export type PeopleAnswer<T> =
  | { readonly isKnown: true; readonly value: T }
  | {
      readonly isKnown: false
      readonly reason: 'people_unknown'
      /** The auth service did not answer, so asking again later can help. */
      readonly isTemporary: boolean
    }

export type Person = {
  readonly user_id: string
  readonly email: string
  readonly display_name: string
  readonly role: Role
}

export type PartHolder = { readonly user_id: string; readonly part: AppPart }

/**
 * Finds the people of an organization, wherever auth stores them, and never those of another one: a user of
 * another organization is no member. Not for use inside a transaction, because the answer can come over the network.
 */
export type People = {
  /** Sorted by user id. */
  ownersAndAdmins(orgId: string): Promise<PeopleAnswer<readonly Person[]>>
  /** The value is undefined when the user is not a member now. */
  member(orgId: string, userId: string): Promise<PeopleAnswer<Person | undefined>>
  /** The member with this address, in any spelling of upper and lower case. */
  memberByEmail(orgId: string, email: string): Promise<PeopleAnswer<Person | undefined>>
  /** By user id; users who are not members now have no entry. */
  displayNames(orgId: string, userIds: readonly string[]): Promise<PeopleAnswer<ReadonlyMap<string, string>>>
  organization(orgId: string): Promise<PeopleAnswer<{ readonly name: string; readonly slug: string }>>
  /** People with a part in the app who are members now. */
  partHolders(orgId: string, appId: string): Promise<PeopleAnswer<readonly PartHolder[]>>
}

export type MemberSearch = {
  /** Members whose name or address contains the text in any case, or whose id it is, the nearest first, at most `limit`. */
  findMembers(orgId: string, text: string, limit: number): Promise<PeopleAnswer<readonly Person[]>>
}

/** The questions about people that auth answers. Parts in apps are not among them. */
export type PeopleDirectory = Omit<People, 'partHolders'> & MemberSearch

export function knownPeople<T>(value: T): PeopleAnswer<T> {
  return { isKnown: true, value }
}

export function unknownPeople({ isTemporary }: { isTemporary: boolean }): PeopleAnswer<never> {
  return { isKnown: false, reason: 'people_unknown', isTemporary }
}

/** Addresses are for sending only, so a person without a name is shown by the part before the `@`. */
export function displayName({ name, email }: { name: string | null; email: string }): string {
  return name ?? email.slice(0, email.lastIndexOf('@'))
}

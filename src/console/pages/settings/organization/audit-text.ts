const USER_IDS = /\busr_[0-9a-z]{26}\b/g

type Entry = { readonly target: string; readonly detail: Readonly<Record<string, unknown>> }

/** Returns the ids of the users whom an entry of the audit log mentions. */
export function userIdsOf({ target, detail }: Entry): string[] {
  return [target, JSON.stringify(detail)].flatMap((text) => text.match(USER_IDS) ?? [])
}

/** Writes names in place of the ids of users. */
export function withNames(text: string, nameOf: (userId: string) => string): string {
  return text.replaceAll(USER_IDS, nameOf)
}

/** Writes what an entry says beside its action and target, such as `role=admin`. */
export function detailText(detail: Entry['detail']): string {
  return Object.entries(detail)
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ')
}

import { shortId } from '#console/parts/text/short-id.ts'

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

/** Names the subject of actions: `data_source` is `Data source`. */
export function subjectText(subject: string): string {
  const text = spaced(OWN_WORDS.get(subject) ?? subject)
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Writes an action in words: `member.role_changed` is `Member: role changed`. */
export function actionText(action: string): string {
  const [subject = '', ...rest] = action.split('.')
  return rest.length === 0 ? subjectText(subject) : `${subjectText(subject)}: ${spaced(rest.join(' '))}`
}

const OWN_WORDS: ReadonlyMap<string, string> = new Map([
  ['org', 'organization'],
  ['token', 'API token'],
])

function spaced(text: string): string {
  return text.replaceAll('_', ' ')
}

/** Shortens an id, whose details name it. Those of users are left for their names. */
export function shortTarget(target: string): string {
  return /^(?!usr_)[a-z]+_[0-9a-z]{26}$/.test(target) ? shortId(target) : target
}

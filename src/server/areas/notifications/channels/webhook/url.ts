import { ServiceError } from '#contract/core/errors.ts'
import { SafeFetchError } from '#lib/net/safe-fetch-error.ts'
import type { NotificationDeps } from '../../model/deps.ts'

/** Throws INVALID_REQUEST for a URL that could never be sent to. The messages never contain its path or query. */
export async function refuseUnusableUrl(checkAddress: NotificationDeps['checkAddress'], url: string): Promise<void> {
  // The signing key is made from the URL as it was typed: a blank that nobody sees would change the key.
  if (/[\s\p{C}]/u.test(url)) throw refused('The URL contains a blank or an invisible character. Remove it.')
  try {
    await checkAddress(url)
  } catch (error) {
    if (error instanceof SafeFetchError) throw refused(textOf(error))
    throw error
  }
}

function refused(message: string): ServiceError {
  return new ServiceError('INVALID_REQUEST', message, { errors: [{ path: 'url', message }] })
}

function textOf({ reason, message }: SafeFetchError): string {
  switch (reason) {
    case 'refused_address':
      return 'The URL leads to a private or reserved address. Use one that can be reached from the internet; to try a receiver on your own machine, use `svc notifications webhook-sample`.'
    case 'dns':
      return 'The host name of the URL could not be resolved. Check the URL and try again.'
    default:
      return `The URL cannot be used for a webhook: ${message}.`
  }
}

/** Returns the part of a URL that people see: enough to tell two webhooks apart, too little to sign with. */
export function labelOf(url: string, name: string | null): string {
  const shown = `${new URL(url).origin} …${url.slice(-4)}`
  return name === null ? shown : `${name} (${shown})`
}

/** Two spellings of one endpoint are equal here, because it would get every event twice. */
export function isSameEndpoint(a: string, b: string): boolean {
  return withoutFragment(a) === withoutFragment(b)
}

function withoutFragment(text: string): string {
  const url = new URL(text)
  url.hash = ''
  return url.href
}

const MIN_UNGUESSABLE_CHARACTERS = 16

/** Returns what is risky about a URL that may be saved. */
export function urlWarnings(text: string): string[] {
  const url = new URL(text)
  const warnings: string[] = []
  if (url.protocol === 'http:') {
    warnings.push('The URL begins with http: anybody on the way can read it and what is sent. Use https.')
  }
  if (unguessableCharacters(url) < MIN_UNGUESSABLE_CHARACTERS) {
    const advice = `Add at least ${MIN_UNGUESSABLE_CHARACTERS} random characters to its path or query.`
    warnings.push(`The URL can be guessed, and whoever knows it can forge signatures. ${advice}`)
  }
  return warnings
}

/** Counts the characters of parts that are no plain word and no plain number. */
function unguessableCharacters({ pathname, search, hash }: URL): number {
  const parts = `${pathname}${search}${hash}`.split(/[^A-Za-z0-9_-]+/)
  return parts.filter(isMixed).reduce((sum, part) => sum + part.length, 0)
}

function isMixed(part: string): boolean {
  return [/[a-z]/, /[A-Z]/, /[0-9]/].filter((kind) => kind.test(part)).length > 1
}
